package spool

import "time"

// A moment is a point in time by two clocks. The wall clock may be set; between two moments of one
// boot the monotonic boot clock counts instead, where the system has one, which runs on while the
// machine sleeps.
type moment struct {
	WallNS int64  `json:"wall_ns"`           // since 1970
	Boot   string `json:"boot,omitempty"`    // ID of the boot that BootNS refers to; "" if there is no such clock
	BootNS int64  `json:"boot_ns,omitempty"` // since boot
}

func (m moment) wall() time.Time { return time.Unix(0, m.WallNS) }

// since returns the time from an earlier moment to m; 0 if a clock was set back in between.
func (m moment) since(earlier moment) time.Duration {
	if m.Boot != "" && m.Boot == earlier.Boot {
		return max(0, time.Duration(m.BootNS-earlier.BootNS))
	}
	return max(0, time.Duration(m.WallNS-earlier.WallNS))
}
