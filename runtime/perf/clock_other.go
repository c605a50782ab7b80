//go:build !markgen_off && !amd64 && !arm64

package perf

// On these platforms the clock is the Go runtime's, and goroutines cannot be distinguished, so self
// times are not collected.
const hasG = false

func ticks() uint64 { return uint64(nanotime()) }

func ticksAndG() (t uint64, gp uintptr) { return uint64(nanotime()), 0 }

func getg() uintptr { return 0 }
