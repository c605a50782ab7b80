//go:build !markgen_virtual && !markgen_off

package perf

// usualWork is plainWork with a scope that a deferred call ends.
//
//go:noinline
func usualWork(m *Marker, x uint64, steps int) uint64 {
	defer Enter(m).Exit()
	return chain(x, steps)
}
