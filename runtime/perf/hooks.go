//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// What is done at a scope besides timing it: the bits of hot.extras. A scope that is only timed pays one test for all.
const (
	extraTrace   = 1 << iota // records are written, see trace.go
	extraRead                // collectors read their counters, see collector.go
	extraTrigger             // ends of scopes of some markers may change the state, see trigger.go
	extraRecords             // the number of records may
	extraEdge                // passages are recorded by caller, see edge.go
	extraLimit               // markers are turned off when they have enough, see limit.go
	extraUntimed             // and timing is not: there are no cells
	extraPairs               // it is recorded what is open at once, see pairs.go

	onlyTrace = extraTrace | extraUntimed

	// extraAtEnds are those that matter only where a scope ends.
	extraAtEnds = extraTrigger | extraRecords | extraLimit

	// calibrated are those that are on while the cost of scopes is measured. Of the others, the time of collectors is
	// measured as they are read, and that of pairs depends on how many scopes are open.
	calibrated = extraAtEnds | extraEdge | extraTrace | extraUntimed
)

// entered is called when a scope of the marker of that index, which began at t, has been pushed on the goroutine's stack.
//
//go:norace
//go:noinline
func (p *slot) entered(index uint32, t uint64) {
	if hot.extras&extraPairs != 0 {
		p.pairs(index)
	}
	if hot.extras&extraRead != 0 {
		if conf.AtEdges == "" || p.edgeIndex(index) != 0 {
			p.readStart()
			p.delayed = hot.extras&extraTrace != 0 // the record is told what that took
		} else {
			p.readNothing()
		}
	}
	if hot.extras&extraTrace != 0 {
		p.trace(index|layout.RecordEnter<<layout.RecordKindShift, t, tracing.enter)
	}
}

// leaving is called before the innermost scope is popped, which ended at t and took ns.
//
//go:norace
//go:noinline
func (p *slot) leaving(index, kind uint32, t, ns uint64) {
	if hot.extras&extraRead != 0 {
		into := index
		if conf.AtEdges != "" {
			into = p.edgeIndex(index)
		}
		if p.readEnd(into, t, ns) {
			p.delayed = hot.extras&extraTrace != 0
		}
	}
	if hot.extras&extraTrace != 0 {
		p.traceExit(index, kind, t)
	}
}

// recorded is called when a passage of the marker of that index has been recorded.
//
//go:norace
//go:noinline
func recorded(index uint32) {
	if hot.extras&extraLimit != 0 {
		limitAt(index)
	}
	if hot.extras&(extraTrigger|extraRecords) != 0 {
		endsAt(index, true)
	}
}
