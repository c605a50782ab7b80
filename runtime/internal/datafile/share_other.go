//go:build !linux

package datafile

// CanShare returns false: on these systems Share, Unshare and Empty do nothing, and the words of
// markers are in the program only.
func CanShare(page int) bool { return false }

func Share(own, mapped []byte) bool { return false }

func Unshare(own []byte) bool { return false }

func Empty(mapped []byte) {}
