//go:build !linux && !darwin && !windows

package platform

// AppName has no cheap answer here.
func AppName() string { return "app" }
