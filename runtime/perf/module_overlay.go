//go:build !markgen_virtual && !markgen_off

package perf

import "github.com/markgen/markgen/runtime/internal/overhead"

// Code marked in place has only scopes that a deferred call ends, does not call Recovered, has no
// counters or tallies and one body for each function, and its tables are not packed. Package time is not
// marked in place, so no marker is executed on a system stack.

// usualWork is plainWork with a scope that a deferred call ends.
//
//go:noinline
func usualWork(m *Marker, x uint64, steps int) uint64 {
	defer Enter(m).Exit()
	return overhead.Chain(x, steps)
}

// hasOpen says whether scopes begin by Open, which nothing may end.
const hasOpen = false

// hasCounters says whether tables may have counters.
const hasCounters = false

func prepareRecovered() {}

func (t *tallies) open(number uint64, e *table) {}

func onSystemStack(g uintptr) bool { return false }

func lostOnSystemStack() bool { return false }

func beneath() (g uintptr, words uint32) { return 0, 1<<32 - 1 }

func forgetCalls() {}

func (t *table) goesWith(i uint32) bool { return false }

func (t *table) followCalls(i, index uint32) {}

func callsOpen() bool { return false }

func inRecordedCall(i uint32) bool { return false }

func unpack(text string) string { return text }
