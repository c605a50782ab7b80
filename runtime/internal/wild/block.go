package wild

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Block is a BlockWild: what was picked, or why nothing was.
type Block struct{ at unsafe.Pointer }

// NewBlock makes the block of a run that is to pick so many functions, on a machine with that load.
// refused is one of layout.Wild…. It returns false if there is no memory.
//
//go:norace
func NewBlock(space *blocks.Space, refused, pick, load uint64) (b Block, ok bool) {
	b.at = space.New(layout.BlockWild, 0, layout.OffWildData+uintptr(pick)*layout.WildSize)
	if b.at == nil {
		return b, false
	}
	*b.word(layout.OffWildRefused) = refused
	*b.word(layout.OffWildPick) = pick
	*b.word(layout.OffWildLoad) = load
	space.Publish(b.at)
	return b, true
}

//go:norace
//go:nocheckptr
func (b Block) word(off uintptr) *uint64 { return (*uint64)(unsafe.Add(b.at, off)) }

// AddFunction counts a function to pick from.
//
//go:norace
func (b Block) AddFunction() { *b.word(layout.OffWildOf)++ }

// SetPicked replaces the picked functions. A reader finds none of them meanwhile.
//
//go:norace
func (b Block) SetPicked(picked []Pick) {
	atomic.StoreUint64(b.word(layout.OffWildLen), 0)
	for i, p := range picked {
		at := layout.OffWildData + uintptr(i)*layout.WildSize
		*b.word(at + layout.WildMarker) = uint64(p.Number)
		*b.word(at + layout.WildLimit) = p.Limit
		*b.word(at + layout.WildRuns) = uint64(p.Runs)
	}
	atomic.StoreUint64(b.word(layout.OffWildLen), uint64(len(picked)))
}
