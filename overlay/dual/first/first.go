//go:build unix && !darwin && !openbsd

// Package first calls Become of package dual before any other package of the program is
// initialised.
package first

import _ "unsafe" // for go:linkname

// become is Become. The linker initialises packages in the order of their import paths, each after
// those that it imports (cmd/link/internal/ld/inittask.go). This one imports none, and in a dual
// build its path is 0, which is before all other valid ones.
//
//go:linkname become 0/dual.Become
func become()

func init() { become() }
