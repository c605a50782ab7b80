//go:build !windows && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package wild

import "github.com/markgen/markgen/runtime/layout"

// A Permit lets a process collect. Here files have no locks that end with the process, so how many
// processes collect is not known, and each of them has one.
type Permit struct{}

// Acquire refuses nothing.
func (p *Permit) Acquire() (refused uint64) { return layout.WildPicked }

// Release does nothing.
func (p *Permit) Release() {}
