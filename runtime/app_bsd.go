//go:build !markgen_off && (freebsd || netbsd || openbsd || dragonfly)

package runtime

// appName has no cheap answer here.
func appName() string { return "app" }
