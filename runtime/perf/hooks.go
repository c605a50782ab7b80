//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// What is done at a scope besides timing it: the bits of hot.hooks. A scope that is only timed pays
// one test for all.
const (
	hookTrace   = 1 << iota // records are written, see trace.go
	hookRead                // collectors read their counters, see collector.go
	hookTrigger             // ends of scopes of some markers may change the state, see trigger.go
	hookRecords             // the number of records may
	hookEdge                // passages are recorded by caller, see edge.go
	hookLimit               // markers are turned off when they have enough, see limit.go
	hookUntimed             // and timing is not: there are no cells
	hookPairs               // it is recorded what is open at once, see pairs.go

	onlyTrace = hookTrace | hookUntimed

	// hooksAtEnd are those that matter only where a scope ends.
	hooksAtEnd = hookTrigger | hookRecords | hookLimit

	// calibrated are those that are on while the cost of scopes is measured. Of the others, the
	// time of collectors is measured as they are read, and that of pairs depends on how many scopes
	// are open.
	calibrated = hooksAtEnd | hookEdge | hookTrace | hookUntimed
)

// entered is called when a scope of the marker of that index, which began at t, has been pushed on
// the goroutine's stack.
//
//go:norace
//go:noinline
func (p *slot) entered(index uint32, t uint64) {
	if hot.hooks&hookPairs != 0 {
		p.pairs(index)
	}
	if hot.hooks&hookRead != 0 {
		if conf.AtEdges == "" || p.edgeIndex(index) != 0 {
			p.readStart()
			p.delayed = hot.hooks&hookTrace != 0 // the record is told what that took
		} else {
			p.readNothing()
		}
	}
	if hot.hooks&hookTrace != 0 {
		p.trace(index|layout.RecordEnter<<layout.RecordKindShift, t, tracing.enter)
	}
}

// leaving is called before the innermost scope is popped, which ended at t and took ns.
//
//go:norace
//go:noinline
func (p *slot) leaving(index, kind uint32, t, ns uint64) {
	if hot.hooks&hookRead != 0 {
		into := index
		if conf.AtEdges != "" {
			into = p.edgeIndex(index)
		}
		if p.readEnd(into, t, ns) {
			p.delayed = hot.hooks&hookTrace != 0
		}
	}
	if hot.hooks&hookTrace != 0 {
		p.traceExit(index, kind, t)
	}
}

// recorded is called when a passage of the marker of that index has been recorded.
//
//go:norace
//go:noinline
func recorded(index uint32) {
	if hot.hooks&hookLimit != 0 {
		limitAt(index)
	}
	if hot.hooks&(hookTrigger|hookRecords) != 0 {
		endsAt(index, true)
	}
}
