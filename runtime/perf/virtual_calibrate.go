//go:build markgen_virtual && !markgen_off

package perf

// usualWork is plainWork with a scope that ends explicitly.
//
//go:noinline
func usualWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Begin(m)
		x = chain(x, steps)
		End(m)
		return x
	}
	return chain(x, steps)
}
