//go:build !markgen_off

package runtime

import "sync/atomic"

// Pause stops the whole process from opening scopes; open ones finish. It does
// nothing unless scopes are being collected.
//
//go:norace
func Pause() { toggle(modeOn, modePaused, StatePaused) }

// Resume undoes Pause.
//
//go:norace
func Resume() { toggle(modePaused, modeOn, StateProfiling) }

//go:norace
func toggle(from, to uint32, state uint64) {
	begin()
	ready()
	if header == nil {
		return
	}
	lock()
	if atomic.CompareAndSwapUint32(&hot.mode, from, to) {
		setHeader(OffState, state)
	}
	unlock()
}

// Finish marks the end of the run in the data file and writes what report= asked
// for. Generated code defers it in func main; in overlay builds it also runs on
// os.Exit. Only the first call does anything. Nothing is collected afterwards,
// scopes that are open still count while the process lives.
//
//go:norace
func Finish() {
	if header == nil {
		return
	}
	lock()
	mode := atomic.LoadUint32(&hot.mode)
	if mode != modeReady && mode != modeOn && mode != modePaused {
		unlock()
		return
	}
	atomic.StoreUint32(&hot.mode, modeStopped)
	end := takeAnchor()
	if hot.mono {
		end.tick = end.mono
	}
	setHeader(OffEndWall, wallNS())
	setHeader(OffEndMono, end.mono)
	setHeader(OffEndTick, end.tick)
	setHeader(OffState, StateStopped)
	trouble := closeFile()
	space.inFile = false
	space.free = 0
	unlock()
	if trouble != "" {
		complain("the data file: " + trouble)
	}
	if conf.report == "" {
		return
	}
	text := formatReport()
	if conf.report == "stderr" {
		writeStderr(text)
		return
	}
	if trouble := writeWhole(reportPath, text); trouble != "" {
		complain(`MARKGEN: key "report": ` + reportPath + ": " + trouble + "; the report is lost")
	}
}

// complain writes one line to stderr.
func complain(what string) {
	writeStderr([]byte("markgen: " + what + "\n"))
}
