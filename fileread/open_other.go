//go:build !unix

package fileread

// dontWait is 0: this system has no named pipes.
const dontWait = 0
