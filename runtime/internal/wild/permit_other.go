//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package wild

import "github.com/markgen/markgen/runtime/layout"

// A Permit lets a process collect. On these systems files have no locks that end with the process,
// so the number of collecting processes is unknown, and each process gets a permit.
type Permit struct{}

// Acquire always returns layout.WildPicked.
func (p *Permit) Acquire() (refused uint64) { return layout.WildPicked }

// Release does nothing.
func (p *Permit) Release() {}
