//go:build amd64 || arm64

package scope

// ticks reads the clock with the instruction that the runtime of markgen uses,
// called in the same way.
//
//go:noescape
func ticks() uint64
