//go:build !unix

package fileread

// dontWait is for where there are pipes with names of files.
const dontWait = 0
