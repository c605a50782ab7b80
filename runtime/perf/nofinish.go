//go:build !markgen_off

package perf

import "runtime"

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
	if !contains(stacks, "\nmain.main(") {
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
	if contains([]byte(app+"$"), ".test$") || contains([]byte(app+"$"), ".test.exe$") {
		what = "the end of a test binary is not seen: it prints no report, and the data do not say that it ended; run the tests with markgen test"
	}
	complain(what)
}

// contains reports whether text contains what.
//
//go:norace
func contains(text []byte, what string) bool {
	for ; len(text) >= len(what); text = text[1:] {
		if string(text[:len(what)]) == what {
			return true
		}
	}
	return false
}
