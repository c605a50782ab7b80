//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// Finish ends the run in order, if it has not been ended: its data file is
// complete, and what report= asked for is written. Generated code defers it in func
// main; in overlay builds it also runs on os.Exit. Nothing is collected afterwards,
// scopes that are open are reported as open.
//
//go:norace
func Finish() {
	for header != nil && !abandoned() {
		switch from := State(); from {
		case layout.StateUnconfigured:
			return
		case layout.StateStopped: // by another process, perhaps, which leaves the rest to us
			awaitEnd()
			return
		default:
			if change(from, layout.StateStopped, causeEnd, 0) {
				return
			}
		}
	}
}

// complete does what comes after the state has become stopped, once.
//
//go:norace
func complete() {
	settleLeft()
	complainOfTriggers()
	if atomic.LoadUint32(&hot.mode) == modeReady { // there was no scope; the header is to be whole all the same
		acquire(&starting)
		settle()
		release(&starting)
	}
	lock()
	if mode := atomic.LoadUint32(&hot.mode); mode != modeReady && mode != modeOn {
		unlock()
		return
	}
	writeHeld()
	atomic.StoreUint32(&hot.mode, modeStopped)
	freezeStacks()
	keepOpen()
	setTicks(false)
	theSampler.conclude()
	setEnd()
	trouble := closeFile()
	picking.permit.Release()
	space.open = false
	unlock()
	defer freeze()
	if trouble != "" {
		complain("the data file: " + trouble)
	}
	if conf.Report == "" {
		return
	}
	text := formatReport()
	if conf.Report == "stderr" {
		datafile.WriteStderr(text)
		return
	}
	if trouble := datafile.WriteWhole(reportPath, text); trouble != "" {
		complain(`MARKGEN: key "report": ` + reportPath + ": " + trouble + "; the report is lost")
	}
}

// ending is how many goroutines are stopping the run. The state is stopped before they are done.
var ending uint32

// awaitEnd waits until a run that is stopped is complete, and completes one that another process has
// stopped.
//
//go:norace
func awaitEnd() {
	for incomplete() || atomic.LoadUint32(&ending) != 0 {
		if !incomplete() || !atomic.CompareAndSwapUint32(&ending, 0, 1) {
			runtime.Gosched()
			continue
		}
		complete()
		atomic.AddUint32(&ending, 1<<32-1)
	}
}

// incomplete says whether the run is stopped, and not all is done that belongs to that.
//
//go:norace
func incomplete() bool {
	mode := atomic.LoadUint32(&hot.mode)
	return State() == layout.StateStopped && (mode == modeReady || mode == modeOn)
}

// setEnd writes the end of the run to the header: when it was stopped, which another process may
// have done long ago.
func setEnd() {
	end, wall := anchorNow(), platform.WallNS()
	if hot.mono {
		end.Tick = end.Mono
	}
	stopped := atomic.LoadUint64(headerWord(layout.OffState)) == layout.StateStopped
	if since := atomic.LoadUint64(headerWord(layout.OffSince)); stopped && int64(since-began.Tick) > 0 && int64(end.Tick-since) > 0 {
		ago := toNS(end.Tick - since)
		end.Tick, end.Mono, wall = since, end.Mono-ago, wall-ago
	}
	setHeader(layout.OffEndWall, wall)
	setHeader(layout.OffEndMono, end.Mono)
	setHeader(layout.OffEndTick, end.Tick)
	if used, _ := platform.Used(); used > usedBefore {
		setHeader(layout.OffCPUTime, used-usedBefore)
	}
}

// freeze takes the cells away, so that nothing more is recorded.
//
//go:norace
func freeze() {
	lock()
	for i := range usedShards {
		shards[i].dir, shards[i].sizes = nil, nil
	}
	unlock()
}

// freezeStacks keeps the stacks as they are: scopes that end later are open in the data, so they
// are neither counted, in this run or the next, nor popped. A scope that is just ending does so,
// and counts. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func freezeStacks() {
	for _, p := range owners {
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&p.active)), unsafe.Pointer(&noActive.active))
	}
}

// keepOpen puts what is open on stacks that are in memory only into the data file, in a stack of its own. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func keepOpen() {
	if len(owners) <= mostStacks && space.refused == 0 || !space.open {
		return
	}
	n := uint32(0)
	for _, p := range owners {
		if s := p.stack.scopes(); s.bytes == 0 {
			n += s.n
		}
	}
	if n == 0 {
		return
	}
	all := (*stack)(newBlock(layout.BlockStack, 0, layout.OffStackData+uintptr(n)*layout.StackSize))
	if all == nil {
		return
	}
	all.room = n
	for _, p := range owners {
		if s := p.stack.scopes(); s.bytes == 0 {
			for i := uint32(0); i < s.n && all.n < n; i++ { // somebody may be about to end the innermost
				*all.at(all.n) = *s.at(i)
				all.n++
			}
		}
	}
	publish(unsafe.Pointer(all))
}

// complain writes one line to stderr.
func complain(what string) { datafile.WriteStderr(lite.Line("markgen: " + what)) }
