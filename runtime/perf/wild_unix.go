//go:build !markgen_off && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

// acquirePermit has the process be one of the few that collect at once, or says why it cannot.
func acquirePermit() (refused uint64) { return picking.permit.Acquire(openFD, flock, moveUp) }
