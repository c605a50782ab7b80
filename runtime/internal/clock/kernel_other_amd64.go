//go:build !linux

package clock

import "runtime"

// systemTrustsTSC is called for an invariant TSC only. macOS and Windows build
// their own fine clocks on such a TSC; for the other systems we do not know a
// cheap way to ask.
func systemTrustsTSC() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }
