//go:build !markgen_virtual && !markgen_off

package perf

import "github.com/markgen/markgen/runtime/internal/overhead"

// Code marked in place has only scopes that a deferred call ends, does not call Recovered and has no
// tallies, and its tables are not packed.

// usualWork is plainWork with a scope that a deferred call ends.
//
//go:noinline
func usualWork(m *Marker, x uint64, steps int) uint64 {
	defer Enter(m).Exit()
	return overhead.Chain(x, steps)
}

func prepareRecovered() {}

func (t *tallies) open(number uint64, e *table) {}

func unpack(text string) string { return text }
