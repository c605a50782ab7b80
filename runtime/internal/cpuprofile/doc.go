// Package cpuprofile takes CPU profiles of the process with the Go runtime's profiler.
//
// Package runtime/pprof does so, too, but its goroutine, which reads the samples from time to time,
// is counted by runtime.NumGoroutine and keeps a program in deadlock from being reported. Here
// nothing runs besides: the caller has to call Save often enough.
package cpuprofile
