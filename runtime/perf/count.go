//go:build !markgen_off

package perf

import "sync/atomic"

// Count adds one to c. It inlines into its caller.
func Count(c *Counter) {
	if c != nil && c.P != nil {
		atomic.AddUint64(c.P, 1)
	}
}

// Pass counts one execution of m, a marker that is counted and not timed.
func Pass(m *Marker) { pass(m) }

// pass is Pass for use in an assignment.
//
//go:norace
//go:nocheckptr
func pass(m *Marker) (n [0]byte) {
	if m == nil {
		return n
	}
	i := m.index
	if m.Off != 0 || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return n
		}
	}
	if w := hot.window; w.width != noWindow {
		if t := now(); t-w.from > w.width && !w.includes(i, t) {
			return n
		}
	}
	if hot.hooks != 0 && lostOnSystemStack() {
		return n
	}
	if hot.hooks&hookTrace != 0 {
		if tracePoint(i); hot.hooks&hookUntimed != 0 {
			recorded(i)
			return n
		}
	}
	if hot.hooks&hookPaths != 0 {
		recordSlow(i, endedScope{at: now(), node: pointPath(i)})
		recorded(i)
		return n
	}
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.Passes++
		procUnpin()
	} else {
		procUnpin()
		recordSlow(i, endedScope{at: now()})
	}
	if hot.hooks != 0 {
		recorded(i)
	}
	return n
}

// Point records an execution of m, which has no duration.
func Point(m *Marker) { pass(m) }
