//go:build !linux

package overlay

import "os"

// killTree kills a process.
func killTree(p *os.Process) error { return p.Kill() }
