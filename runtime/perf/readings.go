//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/layout"
)

// Collectors besides time are read when a scope has begun and when it ends. The values at the
// beginning are kept beside the goroutine's stack of scopes. The differences are added up in a
// BlockRead for each marker and processor.
//
// The time that reading takes is measured and subtracted from the enclosing scopes, like the cost
// of scopes (slot.over).
//
// A scope that a panic left gets the values read when recover stopped the panic, as it ends at that
// time.
type readings struct {
	_      [0]func() // not comparable: == would add code
	plan   *plan     // also referenced by plans, which keeps it alive
	open   *stack
	closed stack
	at     uint64 // tick at which recover last stopped a panic, as in slot
	over   uint64 // slot.over at that tick
	collect.Readings
}

// scopes returns the goroutine's stack of scopes. While collectors are read, slot.stack is another
// stack, which has no room and gets none, so that markers in a program's own collector are counted,
// but open no scope in the middle of another scope's beginning or end.
//
//go:norace
func (s *stack) scopes() *stack {
	if rd := s.read.P; rd != nil && s == &rd.closed {
		return rd.open
	}
	return s
}

// reads reports whether collectors are being read for a scope of the goroutine: markers executed
// meanwhile are not part of the scope.
//
//go:norace
func (p *slot) reads() bool { return p != nil && p.stack.scopes() != p.stack }

// take reads all collectors into a frame, at the beginning of a scope, or at its end if end is
// true.
//
//go:norace
func (p *slot) take(rd *readings, f *collect.Frame, end bool) {
	rd.open, p.stack = p.stack, &rd.closed
	rd.Read(f, end)
	p.stack = rd.open
}

// readStart reads the collectors for the scope that has been pushed.
//
//go:norace
func (p *slot) readStart() {
	began := now()
	rd, n := p.stack.read.P, p.stack.n
	if rd == nil || !rd.Has(n-1) {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	p.take(rd, rd.Begin(n-1), false)
	p.discountRead(began, p.stack.at(n-1).index&^scopeBits)
}

// readEnd reads the collectors for the scope that is about to be popped, which ended at tick t
// after ns, and adds up how much they have grown. It returns false if they were not read at the
// beginning.
//
//go:norace
func (p *slot) readEnd(index uint32, t, ns uint64) bool {
	rd, n := p.stack.read.P, p.stack.n
	if rd == nil || !rd.Begun(n-1) {
		return false
	}
	began := now()
	end := rd.Stopped()
	if rd.at != t {
		end = rd.Latest()
		p.take(rd, end, true)
	}
	f := rd.End(n-1, end, ns)
	i := p.stack.at(n - 1).index
	if i&passedBit == 0 {
		rd.plan.record(&rd.plan.shards, index, f, i&nestedBit != 0)
	}
	if hot.hooks&hookPaths == 0 || i&passedBit != 0 {
	} else if node := p.stack.node(n); node != cct.None {
		rd.plan.record(&rd.plan.paths, node, f, i&nestedBit != 0)
	}
	p.discountRead(began, i&^scopeBits)
	return true
}

// readNothing records that collectors are not read for the scope that has been pushed.
//
//go:norace
func (p *slot) readNothing() {
	rd, n := p.stack.read.P, p.stack.n
	if rd == nil || !rd.Has(n-1) {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	rd.Skip(n - 1)
}

// sinceStopped returns the cost of scopes since recover last stopped a panic, which is not part of
// the scopes that the panic left; 0 if the collectors were not read then.
//
//go:norace
func (p *slot) sinceStopped() uint64 {
	if rd := p.stack.read.P; hasOpen && rd != nil && rd.at == p.recovered && rd.at != 0 {
		return p.over - rd.over
	}
	return 0
}

// discountRead subtracts the time since tick since, in which collectors were read for a scope of
// the marker of that index, from the open scopes and from the window.
//
//go:norace
func (p *slot) discountRead(since uint64, index uint32) {
	if d := now() - since; int64(d) > 0 {
		d = d<<costBits + readTicks
		p.over += d
		if conf.windows() && hasRate(index) {
			addWindowCost(since, d>>costBits)
		}
	}
}

// makeReadings makes readings for each scope that the goroutine's stack has room for. It returns
// nil if there is no memory, or the run of its scopes has ended.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) makeReadings() *readings {
	old, pl := p.stack.read.P, reading
	if old != nil {
		pl = old.plan
	}
	if pl == nil {
		return nil
	}
	lock()
	rd := (*readings)(arena.New(unsafe.Offsetof(readings{}.Readings) + pl.Size(p.stack.room)))
	unlock()
	if rd == nil {
		return nil
	}
	rd.plan = pl
	rd.Open(&pl.Plan, p.stack.room)
	if old != nil {
		rd.at, rd.over = old.at, old.over
		rd.Copy(&old.Readings)
	}
	rd.closed.read.P = rd
	p.stack.read.P = rd
	return rd
}

// readBlocks has the blocks of a plan by shard, then by index of a marker, or by node of a path.
type readBlocks [layout.MaxShards + 1]*directory.Of[collect.Block]

// at returns the block on processor pid, or nil if there is none yet. The caller is pinned.
//
//go:norace
func (b *readBlocks) at(pid int, index uint32) *collect.Block {
	if uint(pid) >= layout.MaxShards {
		return nil
	}
	return b[pid].Get(index)
}

// record adds the readings of a scope to the block of its index in to, on the current processor.
//
//go:norace
func (p *plan) record(to *readBlocks, index uint32, f *collect.Frame, nested bool) {
	for {
		pid := procPin()
		if b := to.at(pid, index); b != nil && p.Record(b, f, nested) {
			procUnpin()
			return
		}
		procUnpin()
		if p.prepare(to, pid, index, f, nested) {
			return
		}
	}
}

// prepare makes the block on a processor, and room in it. It returns true if nothing is left to do:
// the scope was added, on a processor that shares its blocks, or there is no memory or the run has
// ended.
//
//go:norace
func (p *plan) prepare(to *readBlocks, pid int, index uint32, f *collect.Frame, nested bool) (done bool) {
	lock()
	defer unlock()
	if p != reading || index < firstIndex || to == &p.shards && index >= nextIndex() || pid < 0 {
		return true
	}
	shard := min(pid, layout.MaxShards)
	b := directory.Make(&to[shard], &arena, index, max(nextIndex(), index+1), func() *collect.Block {
		of := uint64(index - firstIndex)
		if to == &p.paths {
			of = layout.ReadPath + uint64(index)
		}
		return p.NewBlock(&space, uint32(shard), of)
	})
	if b == nil {
		return true
	}
	if !p.MakeRoom(&space, b, f) {
		return true
	}
	if pid >= layout.MaxShards {
		p.Record(b, f, nested)
		return true
	}
	return false
}
