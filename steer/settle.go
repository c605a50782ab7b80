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

// grace is the time after turning markers off at which settle first checks for open scopes: a
// goroutine that has already found a marker on may be about to open one.
const grace = 10 * time.Millisecond

// rounds is how many times settle checks if scopes are open, since their goroutines may be waiting for a
// processor. The time between checks doubles.
const rounds = 3

// mostStacks is the maximum number of goroutines with stacks in the file (package runtime/perf): if
// there are more, open scopes can't be determined from outside.
const mostStacks = 4096

// settle tells the code of markers that are off and have no open scopes that it need not check for
// scope ends any more; then they cost nothing. It does nothing if the file does not tell which
// scopes are open; then each check costs some ns.
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

// settleAfter settles the markers without open scopes once the time has passed, unless a marker was
// turned on or off meanwhile.
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

// unsettled reports whether any markers are off and not settled, and calls visit, if not nil, with
// the Off word and the number of each.
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

// openScopes returns the numbers of the markers with open scopes. Stacks hold the numbers of
// cells, of which a marker may have had several.
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

// openIn returns the cells of a stack's open scopes.
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
		cells[i] = uint64(binary.NativeEndian.Uint32(data[i*layout.StackSize+layout.StackMarker:])&layout.IndexMask) - layout.StackFirst
	}
	return cells, nil
}
