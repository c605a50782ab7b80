//go:build !linux

package datafile

// CanShare says no: here Share, Unshare and Empty do nothing. The words of markers are in the
// program only, and mappings are not counted.
func CanShare(page int) bool { return false }

func Share(own, mapped []byte) bool { return false }

func Unshare(own []byte) bool { return false }

func Empty(mapped []byte) {}
