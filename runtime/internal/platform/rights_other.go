//go:build !unix

package platform

// MoreRights returns false: these systems have no setuid programs.
func MoreRights() bool { return false }
