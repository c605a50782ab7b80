//go:build !markgen_off

package runtime

import "sync/atomic"

// Count adds one to c. It inlines into its caller.
func Count(c *Counter) {
	if c.P != nil {
		atomic.AddUint64(c.P, 1)
	}
}

// Pass counts one passage through m, a marker that is counted and not timed.
//
//go:norace
//go:nocheckptr
func Pass(m *Marker) {
	if m == nil {
		return
	}
	i := m.index
	if hot.mode != modeOn || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return
		}
	}
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.passes++
		procUnpin()
		return
	}
	procUnpin()
	recordSlow(i, passage{})
}

// Point records a passage through m, which has no duration.
func Point(m *Marker) { Pass(m) }
