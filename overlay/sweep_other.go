//go:build !unix

package overlay

import "os"

func holdDir(string) *os.File { return nil }

// sweep does nothing: this system cannot tell which directories are still in use.
func sweep(string, string, func(string) bool) {}
