//go:build !markgen_off

package perf

import "runtime"

// A program whose package main has nothing of ours ends unseen where it was built as a module: it
// prints no report, and its data do not say that it ended. It is told so when it has begun. Before
// func main begins, nobody knows whether the table of package main is yet to come.

// endSeen says that package main has a table, and so calls Finish. Tables are registered before
// func main begins.
var endSeen = seesExit

// endMatters says that there is a table in the source: other tables come from who builds the
// program, and knows how it ends.
var endMatters bool

// endTold says that nothing more is to be said about the end. Under the lock.
var endTold bool

// tellUnseen is called when a marker is passed first, before it is recorded: n have been. As
// looking stops the program for a moment, of those that are passed while packages are initialised
// it looks at the first ones, and then at one in two, four, … It says nothing where all have been
// passed by then.
//
//go:norace
func tellUnseen(n uint32) {
	if !endMatters || endSeen || endTold || n > 16 && n&(n-1) != 0 || conf.Report == "" && conf.File == "" && conf.Spool == "" {
		return
	}
	stacks := make([]byte, 64<<10)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if !within(stacks, "\nmain.main(") {
		return
	}
	lock()
	tell := !endTold && !endSeen
	endTold = true
	unlock()
	if !tell {
		return
	}
	what := "package main has no marker: unless it calls Finish, the end of the program is not seen, no report is printed then, and the data do not say that it ended; " +
		"run markgen on package main"
	if within([]byte(app+"$"), ".test$") || within([]byte(app+"$"), ".test.exe$") {
		what = "the end of a test binary is not seen: it prints no report, and the data do not say that it ended; run the tests with markgen test"
	}
	complain(what)
}

// within says whether what is in text.
//
//go:norace
func within(text []byte, what string) bool {
	for ; len(text) >= len(what); text = text[1:] {
		if string(text[:len(what)]) == what {
			return true
		}
	}
	return false
}
