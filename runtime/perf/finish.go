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

// Finish ends the run, if it has not ended: it completes the data file and writes the report that
// report= asks for. Generated code defers it in func main; in overlay builds it also runs on
// os.Exit. Nothing is collected afterwards; open scopes are reported as open.
//
//go:norace
func Finish() {
	for header != nil && !abandoned() {
		switch from := State(); from {
		case layout.StateUnconfigured:
			return
		case layout.StateStopped: // perhaps by another process, which leaves the rest to this one
			awaitEnd()
			return
		default:
			if change(from, layout.StateStopped, causeEnd, 0) {
				return
			}
		}
	}
}

// complete finishes the run after its state has become stopped; only the first call does anything.
//
//go:norace
func complete() {
	endAllLeft()
	complainOfNames()
	if atomic.LoadUint32(&hot.mode) == modeReady { // there was no scope; the header has to be complete nevertheless
		starting.Lock()
		finishStart()
		starting.Unlock()
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
	theSampler.conclude()
	setEnd()
	endProfile()
	problem := closeFile()
	picking.permit.Release()
	unlock()
	defer freeze()
	if problem != "" {
		complain("the data file: " + problem)
	}
	if conf.Report == "" {
		return
	}
	text := formatReport()
	if conf.Report == "stderr" {
		datafile.WriteStderr(text)
		return
	}
	if problem := datafile.WriteWhole(reportPath, text); problem != "" {
		complain(`MARKGEN: key "report": ` + reportPath + ": " + problem + "; the report is lost")
	}
}

// ending is the number of goroutines that are stopping the run. The state is stopped before they
// finish.
var ending uint32

// awaitEnd waits until a stopped run is complete, and completes one that another process has
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

// incomplete reports whether the run is stopped and complete has not finished.
//
//go:norace
func incomplete() bool {
	mode := atomic.LoadUint32(&hot.mode)
	return State() == layout.StateStopped && (mode == modeReady || mode == modeOn)
}

// setEnd writes the end of the run to the header: when it was stopped, which may be long ago if
// another process did it.
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
	if used, _ := platform.CPUTime(); used > cpuTimeBefore {
		setHeader(layout.OffCPUTime, used-cpuTimeBefore)
	}
}

// freeze removes the cells, so that nothing more is recorded.
//
//go:norace
func freeze() {
	lock()
	for i := range usedShards {
		shards[i].cells, shards[i].sizes, shards[i].paths = nil, nil, nil
	}
	unlock()
}

// freezeStacks keeps the stacks as they are: scopes that end later stay open in the data, and are
// neither counted, in this run or the next, nor popped. A scope that is just ending is still
// counted. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func freezeStacks() {
	for _, p := range owners {
		atomic.StoreUint32(&p.runEnded, 1)
	}
}

// keepOpen copies the open scopes of stacks that are in memory only to a stack in the data file.
// The caller holds the lock.
//
//go:norace
//go:nocheckptr
func keepOpen() {
	if len(owners) <= maxStacks && !space.Partial() || !space.IsOpen() {
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
	all := (*stack)(space.New(layout.BlockStack, 0, layout.OffStackData+uintptr(n)*layout.StackSize))
	if all == nil {
		return
	}
	all.room = n
	for _, p := range owners {
		if s := p.stack.scopes(); s.bytes == 0 {
			for i := uint32(0); i < s.n && all.n < n; i++ { // the goroutine may be about to end the innermost
				*all.at(all.n) = *s.at(i)
				all.n++
			}
		}
	}
	space.Publish(unsafe.Pointer(all))
}

// complain writes one line to stderr.
func complain(what string) { datafile.WriteStderr(lite.Line("markgen: " + what)) }

// A program that is marked in place ends without Finish if package main has no marker: it prints no
// report, and its data do not say that it ended. It prints a warning once func main has begun;
// before, the table of package main may not be registered yet.

// finishes says whether package main has a table, and so calls Finish, or exits are noticed anyway.
var finishes = seesExit

// markedInPlace says whether there is a table in the source. Other tables come from overlay builds,
// which notice the exit.
var markedInPlace bool

// warnedNoFinish says whether the warning has been printed. Under the lock.
var warnedNoFinish bool

// warnNoFinish is called at the first scope of the nth marker that gets an index. runtime.Stack
// stops the program for a moment, so it is called for the first 16 only and then at powers of two.
//
//go:norace
func warnNoFinish(n uint32) {
	if !markedInPlace || finishes || warnedNoFinish || n > 16 && n&(n-1) != 0 || conf.Report == "" && conf.File == "" && conf.Spool == "" {
		return
	}
	stacks := make([]byte, 64<<10)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if !lite.Contains(stacks, "\nmain.main(") {
		return
	}
	lock()
	tell := !warnedNoFinish && !finishes
	warnedNoFinish = true
	unlock()
	if !tell {
		return
	}
	what := "package main has no marker: unless it calls Finish, the end of the program is not seen, no report is printed then, and the data do not say that it ended; " +
		"run markgen on package main"
	if lite.Contains([]byte(app+"$"), ".test$") || lite.Contains([]byte(app+"$"), ".test.exe$") {
		what = "the end of a test binary is not seen: it prints no report, and the data do not say that it ended; run the tests with markgen test"
	}
	complain(what)
}
