// Bench measures what markgen costs, each figure as a ratio of two things that
// are run in turn on the same machine in the same run, and holds it against a
// bar. It prints what it measures as it goes, in the format of Go's benchmarks,
// and at the end one table: figure, bar, measured, met.
//
//	go run . -markgen ../bin/markgen -o out
//	benchstat out/off/plain.txt out/off/marked.txt
//
// The subjects, which -run selects by name:
//
//	scope      a timed scope, with and without self time, against two clock reads
//	parallel   the same on all processors at once against one
//	mapped     a scope with its data in a mapped file against in memory
//	trace      the records of a scope against two clock reads
//	between    how fast markgen between reads 100 million records
//	html       how large the page of 20,000 markers is, and how long it takes to load and to sort
//	offprogs   small programs with markers that are off against unmarked
//	corrected  the reported time of a caller of marked functions against its time unmarked
//	sampled    how often a sample's mean is within two standard errors of the truth
//	estimates  how far the counts of windows are from those of programs of several kinds
//	peers      a marked function against other ways to time it
//	start      what 100,000 markers add to a program's start
//	markers    what 100,000 markers and 64 processors add to its memory
//	countpar   block counting on all processors against go test -covermode=atomic
//	count      block counting of standard packages against go test -covermode=count
//	diffpower  how often markgen diff finds 5 % more work of one function, and is wrong
//	sampling   the same benchmarks and fib(25) sampled, and paused, against unmarked
//	off        benchmarks of standard packages with markers that are off against unmarked
//	floor      the same with a test at the top of functions alone, and marked, in several layouts
//	rewrite    how fast markers are planned and written
//	memory     how much memory that takes
//	warm       markgen build against go build -cover after small changes
//	cold       the same with empty caches
//
// There is one file for a subject and those akin to it; what is measured by
// benchmarks in test binaries shares benchmarks.go. The programs are below
// programs. docs/performance.md says what the figures mean and which have been
// measured.
package main
