package spool

import "time"

// A moment is a point in time by this machine's clocks. The wall clock may be set in between; where the system has a
// clock that only goes forward, also while the machine sleeps, that counts as long as the machine is not started anew.
type moment struct {
	WallNS int64  `json:"wall_ns"`           // since 1970
	Boot   string `json:"boot,omitempty"`    // names the start of the machine that BootNS is since
	BootNS int64  `json:"boot_ns,omitempty"` // since that
}

func (m moment) wall() time.Time { return time.Unix(0, m.WallNS) }

// since is how much time has passed from one moment to a later one; 0 where the clock says it was none or less.
func (m moment) since(earlier moment) time.Duration {
	if m.Boot != "" && m.Boot == earlier.Boot {
		return max(0, time.Duration(m.BootNS-earlier.BootNS))
	}
	return max(0, time.Duration(m.WallNS-earlier.WallNS))
}
