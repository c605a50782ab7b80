//go:build amd64 || arm64

package scope

// ticks reads the clock with the instruction that markgen's runtime uses, called in the same way.
//
//go:noescape
func ticks() uint64
