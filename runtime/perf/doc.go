// Package perf is what marked programs compile against: it counts, times and
// buckets every passage through their markers. Generated code is its user;
// by hand it is used like this:
//
//	import perf "github.com/markgen/markgen/runtime/perf"
//
//	func parse(b []byte) {
//		if perf.On {
//			defer perf.Enter(&perfmarks.parse).Exit()
//		}
//		…
//	}
//
// # Promises
//
// It does nothing unless the environment variable MARKGEN or a call of Configure
// says so, and then nothing before the first Register or the first scope. It never
// panics, exits or handles a signal, starts a goroutine only if something is to
// happen at a time, and does not change what the program prints or returns;
// an error is one line on stderr. A scope does not allocate. Counts are exact
// whatever goroutines and GOMAXPROCS do. Data are in a mapped file from the first
// scope on (docs/data-file.md), so that a kill loses no scope that had ended. A nil
// pointer or an invalid table is ignored.
//
// Under the race detector markers report nothing and, but for a few cold paths,
// order nothing: a marked program shows the races it has. Counters are the
// exception: Count adds to a word that goroutines share.
//
// # Steering
//
// State, Configure, Start, Pause, Resume and Stop are for the program; triggers and
// other processes change the state in the same way (state.go). Whether a marker is
// on is in its two words, which the program's own code tests. They are in the data
// file, so that other processes can change them (pages.go, package steer). Sampling
// opens and closes the tests of functions that are passed often (window.go), or
// counts passages (countdown.go).
//
// # Parts
//
// Package perf has the API, scopes and their cells, the stacks of open scopes, registration and the
// state of the run. What can be tested without these is in packages of its own, which it imports
// and which never import it:
//
//	config, glob, layout   the value of MARKGEN, patterns, the layout of the data file
//	internal/clock         whether the processor's counter is a clock, its rate and step
//	internal/collect       the collectors besides time
//	internal/datafile      files, and memory outside the Go heap
//	internal/inflate       packed tables
//	internal/lite          what is needed of strings, strconv, sort and time
//	internal/platform      what the system knows of the process
//	internal/random        random numbers
//	internal/relate        callers, and markers that are open at once
//	internal/report        the table that a program prints itself
//	internal/tabletext     the texts of tables, with the names of markers
//	internal/trace         the rings of trace records
//	internal/trigger       triggers, every=, and which change of the state they ask for
//	internal/wild          which functions collect=wild picks
//
// They import only runtime, sync/atomic, syscall, unsafe, math/bits and each other, and in an overlay build
// internal/runtime/exithook, so that everything else in the standard library can be marked.
//
// # Builds
//
// In an overlay build the same files are packages below GOROOT/src (package runtime of this
// module). There virtual_*.go, with what only the code of such builds calls, and goroot_*.go, which
// compile nowhere else, take the place of module_*.go; in a deep build (package overlay/deep)
// deep_*.go take that of plain_*.go. Assembly goes to a directory that exists, since the go command
// runs the assembler there. Functions are declared in a comment above their assembly, from which
// the declarations over there are made.
//
// # Clock
//
// The clock is the processor's counter where it can be relied on (package clock), else, or with
// clock=mono, the Go runtime's nanotime. Reads are not fenced. The header of the data file names the
// clock, its rate, its smallest step and the cost of reading it. A duration becomes ns when it is
// recorded, by one multiplication. A negative one, which two processors' counters may yield, is 0.
//
// # Cost
//
// A scope costs little more than two bare clock reads, self time included, as
// long as its duration falls into the same bucket as the one before, else about
// 1.5 times as much; see the benchmarks. What a scope costs is measured at start,
// and taken off the durations of the scopes around it.
//
// Starting takes about 0.2 ms, and 0.2 ms more for 10,000 markers. The first scope
// waits until half a millisecond has passed since.
//
// # Limits
//
// A scope has to end on the goroutine it began on, or self times are wrong.
// Recording from a signal handler is not supported. Bodies of functions that
// run before this package's dependencies are initialised cannot be marked: those
// are the packages listed above and what they import.
package perf
