package platform

import (
	"runtime"
	_ "unsafe" // for go:linkname
)

// WallNS returns the wall clock in ns since the Unix epoch.
func WallNS() uint64 {
	sec, nsec, _ := now()
	return uint64(sec)*1e9 + uint64(nsec)
}

// now is time.now. Modules may link to it, see runtime/timestub.go.
//
//go:linkname now time.now
func now() (sec int64, nsec int32, mono int64)

// programName returns the name of the program in a path, without the suffix .exe, and without that
// of the marked program of a dual build, which is the same application as the plain one.
func programName(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if c := path[i]; c == '/' || runtime.GOOS == "windows" && (c == '\\' || c == ':') {
			path = path[i+1:]
			break
		}
	}
	for _, suffix := range [...]string{".exe", ".EXE", ".marked"} {
		if n := len(path) - len(suffix); n > 0 && path[n:] == suffix {
			path = path[:n]
		}
	}
	return path
}

// loadPercent converts a load average in hundredths (150 is 1.50) to a percentage of all CPUs.
func loadPercent(hundredths uint64) uint64 { return hundredths / uint64(max(runtime.NumCPU(), 1)) }
