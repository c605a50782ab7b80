//go:build !unix

package platform

// MoreRights says no: there are no setuid programs here.
func MoreRights() bool { return false }
