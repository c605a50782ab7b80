//go:build !linux && !darwin && !windows

package platform

// AppName returns "app": these systems have no cheap way to find the name.
func AppName() string { return "app" }
