//go:build markgen_virtual && !markgen_off && !amd64 && !arm64

package perf

// Goroutines can't be distinguished on these platforms (hasG), so the depths of their stacks, which tell the
// scope that a call ends, are not needed.

func ticksAndDepth(at *byte) (t uint64, gp, depth uintptr) { return uint64(nanotime()), 0, 0 }

func depthOf(at *byte) (gp, depth uintptr) { return 0, 0 }

func frame() (gp, fp, hi uintptr) { return 0, 0, 0 }

func stackPointer(fp, saved uintptr) uintptr { return 0 }
