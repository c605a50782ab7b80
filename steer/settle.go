package steer

import (
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// grace is how long after markers were turned off their words are looked at again: a
// goroutine that has tested one before may be about to open a scope.
const grace = 10 * time.Millisecond

// rounds is how often that is done while there are open scopes, each time after
// twice as long: they may be of goroutines that just did not get a processor.
const rounds = 3

// mostStacks is how many goroutines have their stacks in the file (package runtime):
// with more, what is open can't be told from outside.
const mostStacks = 4096

// settle tells the code of markers that were turned off and have no open scopes that
// it need not look for their ends any more: then they cost nothing. It is left out
// where the file does not tell what is open; the ends are looked for in vain then,
// which takes some ns each.
func (p *Process) settle() error {
	for round := range rounds {
		if !p.unsettled(nil) {
			return nil
		}
		if err := p.settleAfter(grace << round); err != nil {
			return err
		}
	}
	return nil
}

func (p *Process) settleAfter(wait time.Duration) error {
	since := p.h.word(layout.OffSince).Load()
	time.Sleep(wait)
	if err := p.follow(); err != nil {
		return err
	}
	if len(p.units.Stacks) >= mostStacks || p.h.word(layout.OffFlags).Load()&layout.FlagPartial != 0 {
		return nil
	}
	open, err := p.openScopes()
	if err != nil {
		return err
	}
	p.unsettled(func(off *atomic.Uint32, number uint64) {
		was := off.Load()
		if open[number] || p.h.word(layout.OffSince).Load() != since {
			return
		}
		if was != 0 && was&layout.OffSettled == 0 {
			off.CompareAndSwap(was, was|layout.OffSettled)
		}
	})
	return nil
}

// unsettled tells whether there are markers that are off and not settled, and calls
// visit with the Off word and the number of each.
func (p *Process) unsettled(visit func(off *atomic.Uint32, number uint64)) bool {
	some := false
	for u, words := range p.words {
		for i := range u.Markers {
			off := words.half(i*layout.MarkerSize + layout.MarkerOff)
			if now := off.Load(); now == 0 || now&layout.OffSettled != 0 {
				continue
			}
			if visit == nil {
				return true
			}
			some = true
			visit(off, u.First+uint64(i))
		}
	}
	return some
}

// openScopes are the markers that have open scopes, by number. A marker may have had
// several cells.
func (p *Process) openScopes() (map[uint64]bool, error) {
	open := map[uint64]bool{}
	for _, s := range p.units.Stacks {
		cells, err := openIn(p.f, s)
		if err != nil {
			return nil, err
		}
		for _, cell := range cells {
			if number, ok := p.units.Aliases[cell]; ok {
				open[number] = true
			}
		}
	}
	return open, nil
}

// openIn reads which cells a stack's open scopes are for.
func openIn(r io.ReaderAt, s runfile.Stack) ([]uint64, error) {
	var head [layout.OffStackData]byte
	if s.Size < uint64(len(head)) {
		return nil, nil
	}
	if _, err := r.ReadAt(head[:], int64(s.Offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	n := uint64(binary.NativeEndian.Uint32(head[layout.OffStackLen:]))
	if n = min(n, (s.Size-layout.OffStackData)/layout.StackSize); n == 0 {
		return nil, nil
	}
	data := make([]byte, n*layout.StackSize)
	if _, err := r.ReadAt(data, int64(s.Offset+layout.OffStackData)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	cells := make([]uint64, n)
	for i := range cells {
		const index = 1<<29 - 1 // the bits beyond say how it is nested
		cells[i] = uint64(binary.NativeEndian.Uint32(data[i*layout.StackSize+layout.StackMarker:])&index) - layout.StackFirst
	}
	return cells, nil
}
