//go:build !linux

package clock

import "runtime"

// systemTrustsTSC is only called if the TSC is invariant. macOS and Windows base their own clocks
// on such a TSC; on other systems there is no known cheap way to ask.
func systemTrustsTSC() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }
