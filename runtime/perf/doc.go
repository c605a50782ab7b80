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
// panics, exits or handles a signal, starts a goroutine only where something is to
// happen after some time, and does not change what the program prints or returns;
// what goes wrong is one line on stderr. A scope does not
// allocate. Counts are exact whatever goroutines and GOMAXPROCS do. Data are in a
// mapped file from the first scope on (docs/data-file.md), so that a kill loses no
// scope that had ended. A nil pointer or a table that makes no sense is ignored.
//
// Under the race detector markers report nothing and, but for a few cold paths,
// order nothing: a marked program shows the races it has. Counters are the
// exception: Count adds to a word that goroutines share.
//
// # Steering
//
// State, Configure, Start, Pause, Resume and Stop are for the program; triggers and
// other processes change the state in the same way (state.go). Whether a marker is
// on is in its two words, which the program's own code tests, and which are in the
// data file: who maps that can change them (pages_linux.go, package steer). Sampling
// opens and closes the tests of functions that are passed often (window.go), or
// counts passages (countdown.go).
//
// # What it may import
//
// Only runtime, sync/atomic, syscall, unsafe, math/bits and package layout of its module, and in an overlay
// build internal/runtime/exithook, so that everything
// else in the standard library can be marked. In an overlay build the same files
// form a package below GOROOT/src, where virtual_*.go, with what only the code of such builds calls, and
// goroot_*.go, which could be compiled nowhere else, are part of it and module_*.go are not, and in a deep build (package overlay/deep) deep_*.go are and
// plain_*.go are not; assembly goes to a directory that exists, since the go
// command runs the assembler there. Functions are declared in a comment above
// their assembly, from which the declarations over there are made.
//
// # Clock
//
// On amd64 the clock is the time stamp counter (RDTSC) if the processor calls it
// invariant (CPUID 80000007h: one rate in all power states) and the kernel relies
// on it: Linux names tsc, or the clock of a hypervisor that is made from it
// (kvm-clock, hyperv_clocksource_tsc_page, xen), as its clock source and the
// process may execute the instruction (PR_GET_TSC); macOS and Windows build their
// clocks on an invariant counter themselves. On arm64 it is CNTVCT_EL0. Otherwise,
// or with clock=mono, it is the Go runtime's nanotime. clock=tsc where it cannot
// be had is a value that cannot be used: one line on stderr, and inert. Reads are
// not fenced.
//
// The rate is what the processor states (CPUID 15h, CNTFRQ_EL0) if that agrees
// with what is observed from the start to the first scope, half a millisecond at
// least, else what was observed, good to 60 ppm or better; both ends of the run
// are in the header for whoever needs it finer. A duration becomes ns when it is
// recorded, by one multiplication. A negative one, which two processors' counters
// may yield, is 0.
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
