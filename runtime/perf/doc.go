// Package perf is the runtime that marked programs link: it counts and times the scopes of their
// markers and keeps a histogram of the durations. Generated code calls it; by hand it is used like
// this:
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
// Without the environment variable MARKGEN or a call of Configure it does nothing; with one of
// them, nothing before the first Register or the first scope. It never panics, exits or handles a
// signal, starts a goroutine only for timers, and does not change what the program prints or
// returns; an error is one line on stderr. A scope does not allocate. Counts are exact, however
// goroutines migrate and GOMAXPROCS changes. From the first scope on, the data are in a mapped file
// (docs/reference/data-file.md), so a killed process loses no scope that had ended. A nil pointer or an
// invalid table is ignored.
//
// Under the race detector markers report no races and, except on a few cold paths, add no
// happens-before edges: a marked program shows the races it has. Counters are the exception: Count
// adds to a word that goroutines share.
//
// # Steering
//
// State, Configure, Start, Pause, Resume and Stop are for the program; triggers and other processes
// change the state in the same way (state.go). Two words in each marker, which generated code
// tests, say whether the marker is on. They are in the data file, so that other processes can
// change them (pages.go, package steer). Sampling opens and closes the gates of frequently called
// functions (window.go), or times one call in N (countdown.go).
//
// # Parts
//
// Package perf has the API, scopes and their cells, the stacks of open scopes, registration and the
// state of the run. Parts that can be tested without these are packages of their own, which perf
// imports and which never import perf: config, glob and layout, which other programs read, too, and those
// below internal.
//
// They import only runtime, sync/atomic, syscall, unsafe, math/bits and each other, and in an
// overlay build internal/runtime/exithook, so that the rest of the standard library can be marked.
//
// Functions that are called rarely, but in many places, are marked noinline: inlined, they would make
// every marked program 10 KB larger.
//
// # Builds
//
// In an overlay build the same files are packages below GOROOT/src (package runtime of this
// module). There, module_*.go is replaced by goroot_*.go, which compile nowhere else, and by
// virtual_*.go, with what only code of such builds needs; in a deep build (package
// overlay/deep) deep_*.go replace plain_*.go. Assembly goes to an existing directory, since the go
// command runs the assembler there. The comment above each assembly function has its Go
// declaration, from which the overlay's declarations are made.
//
// # Clock
//
// The clock is the processor's counter where it is reliable (package clock), else, or with
// clock=mono, the Go runtime's nanotime. Reads are not fenced. The header of the data file has the
// clock's kind, rate, smallest step and read cost. A duration is converted to ns when it is
// recorded, by one multiplication. A negative duration, which can come from the counters of two
// processors, is recorded as 0.
//
// # Cost
//
// A scope costs little more than two bare clock reads, self time included, as long as its duration
// falls into the same bucket as the marker's previous one, else about 1.5 times as much; see the
// benchmarks. The cost of a scope is measured at start and subtracted from the durations of the
// scopes around it.
//
// Starting takes about 0.2 ms, and 0.2 ms more for 10,000 markers. The first scope waits until half
// a millisecond has passed since the start.
//
// # Limits
//
// A scope has to end on the goroutine it began on, or self times are wrong. Recording from a signal
// handler is not supported. Functions that run before this package's dependencies are initialised
// cannot be marked: those are the functions of the packages listed above and of their imports.
package perf
