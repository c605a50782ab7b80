//go:build !markgen_goroot && !markgen_off

package perf

// What an overlay build does by changes to package runtime (goroot_process.go), a module cannot: hook
// the end of the process, start goroutines that tracebacks and runtime.NumGoroutine leave out, and take a
// CPU profile until the program itself takes one (goroot_profile.go).

// seesExit says whether the end of the process is noticed even if package main has no markers.
const seesExit = false

// atExit does nothing; marked main packages defer Finish instead.
func atExit(f func()) {}

// startTimers starts a goroutine that runs timers, in the run of this number.
func startTimers(run uint64) { go timers(run) }

func beginProfile() {}

func profileDue() uint64 { return noLook }

func saveProfile(t uint64) {}

func dropProfile() {}

func endProfile() {}
