//go:build !unix

package platform

// Privileged returns false: these systems have no setuid programs.
func Privileged() bool { return false }
