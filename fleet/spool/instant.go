package spool

import "time"

// An instant is a point in time by two clocks. The wall clock may be set; between two instants of
// one boot the monotonic boot clock counts instead, where the system has one, which runs on while
// the machine sleeps.
type instant struct {
	WallNS int64  `json:"wall_ns"`           // since 1970
	Boot   string `json:"boot,omitempty"`    // ID of the boot that BootNS refers to; "" if there is no such clock
	BootNS int64  `json:"boot_ns,omitempty"` // since boot
}

func (i instant) wall() time.Time { return time.Unix(0, i.WallNS) }

// since returns the time from an earlier instant to i; 0 if a clock was set back in between.
func (i instant) since(earlier instant) time.Duration {
	if i.Boot != "" && i.Boot == earlier.Boot {
		return max(0, time.Duration(i.BootNS-earlier.BootNS))
	}
	return max(0, time.Duration(i.WallNS-earlier.WallNS))
}
