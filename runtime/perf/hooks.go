//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// Work at a scope besides timing it: the bits of hot.hooks. A scope that is only timed pays one
// test for all of them.
const (
	hookTrace   = 1 << iota // records are written, see trace.go
	hookRead                // collectors read their counters, see collector.go
	hookTrigger             // ends of scopes of some markers may change the state, see trigger.go
	hookRecords             // the number of recorded scopes may change the state
	hookEdge                // scopes are also recorded by caller, see relate.go
	hookLimit               // markers are turned off after enough scopes, see limit.go
	hookUntimed             // scopes are not timed: there are no cells
	hookPairs               // pairs of markers that are open at once are recorded, see relate.go
	hookPaths               // scopes are also recorded by path, see path.go

	onlyTrace = hookTrace | hookUntimed

	// hooksAtEnd are the bits that only matter when a scope ends.
	hooksAtEnd = hookTrigger | hookRecords | hookLimit | hookPaths

	// calibrated are the bits that are on while the cost of scopes is measured. Of the others,
	// collectors are timed whenever they are read, and the cost of pairs depends on the number of
	// open scopes.
	calibrated = hooksAtEnd | hookEdge | hookTrace | hookUntimed
)

// entered is called when a scope of the marker of that index, perhaps with wholeBits, which began at
// tick t, has been pushed on the goroutine's stack.
//
//go:norace
//go:noinline
func (p *slot) entered(index uint32, t uint64) {
	if index&wholeBits != 0 {
		p.stack.outer = p.stack.n
		if index&passedBit != 0 {
			p.enteredPassed()
			return
		}
		index &^= wholeBits
	}
	if hot.hooks&hookPairs != 0 {
		p.pairs(index)
	}
	if hot.hooks&hookRead != 0 {
		if conf.AtEdges == "" || p.edgeIndex(index) != 0 {
			p.readStart()
			p.delayed = hot.hooks&hookTrace != 0 // the trace record has the time that reading took
		} else {
			p.readNothing()
		}
	}
	if hot.hooks&hookTrace != 0 {
		p.trace(index|layout.RecordEnter<<layout.RecordKindShift, t, tracing.enter)
	}
}

// leaving is called before the innermost scope, which ended at tick t after ns, is popped.
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

// recorded is called when a scope of the marker of that index has been recorded.
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
