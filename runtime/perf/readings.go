//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/layout"
)

// Collectors besides time are read when a scope has begun and when it ends. What
// was read at the beginning waits beside the goroutine's stack of scopes: a frame
// for each record there, with what the scopes directly inside have had so far. The
// differences are added up in a BlockRead for each marker and processor.
//
// What reading takes is measured and taken off the scopes around, as what scopes
// cost is (slot.over).
//
// A scope is read if each of its two readings was possible and they can be
// compared; else it is dropped, by collector, and so are the scopes around it, for
// what they had cannot be right either. A scope that a panic left is given what had
// been read when recover stopped the panic, as it ends at that time.
type readings struct {
	plan   *plan // kept alive by plans
	open   *stack
	closed stack
	room   uint32 // frames
	free   collect.Scratch
	at     uint64   // when recover last stopped a panic, as in slot, and
	over   uint64   // slot.over then
	words  struct{} // snapshots: of now, of then; frames
}

// readingsRef is an address, 8 bytes on every platform.
type readingsRef struct {
	_ [8 - unsafe.Sizeof(uintptr(0))]byte
	p *readings
}

// A snapshot is one reading of all collectors: a word with a bit for each that could
// be read, a word for each that says where it was, and the values. A frame is the
// snapshot of a scope's beginning and, for each value, what scopes inside had.
type snapshot struct{ good uint64 }

//go:norace
//go:nocheckptr
func (s *snapshot) word(i uintptr) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(s), 8*i))
}

func (p *plan) where(s *snapshot, k uintptr) *uint64 { return s.word(1 + k) }
func (p *plan) value(s *snapshot, v uintptr) *uint64 { return s.word(1 + p.collectors + v) }
func (p *plan) inner(s *snapshot, v uintptr) *uint64 { return s.word(p.snapshot + v) }

//go:norace
//go:nocheckptr
func (rd *readings) word(i uintptr) *snapshot {
	return (*snapshot)(unsafe.Add(unsafe.Pointer(rd), unsafe.Offsetof(readings{}.words)+8*i))
}

func (rd *readings) now() *snapshot  { return rd.word(0) }
func (rd *readings) then() *snapshot { return rd.word(rd.plan.snapshot) }

// frame is that of the i-th open scope, from 0.
func (rd *readings) frame(i uint32) *snapshot {
	return rd.word(2*rd.plan.snapshot + uintptr(i)*rd.plan.frame)
}

// scopes is the goroutine's stack of scopes. It is another than slot.stack while
// collectors are read: that has no room then, nor is it given any, so that what a
// program's collector passes is counted and opens no scope in the middle of another's
// beginning or end.
//
//go:norace
//go:nocheckptr
func (s *stack) scopes() *stack {
	if rd := s.read.p; rd != nil && s == &rd.closed {
		return rd.open
	}
	return s
}

// reads says whether collectors are being read for a scope of the goroutine: what they pass meanwhile is no
// part of it.
//
//go:norace
func (p *slot) reads() bool { return p != nil && p.stack.scopes() != p.stack }

// readStart reads the collectors for the scope that has been pushed.
//
//go:norace
//go:nocheckptr
func (p *slot) readStart() {
	began := now()
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || rd.room < n {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	f := rd.frame(n - 1)
	for v := range rd.plan.values {
		*rd.plan.inner(f, v) = 0
	}
	p.take(rd, f, false)
	p.overlookRead(rd, began, p.stack.at(n-1).index&^scopeBits)
}

// readEnd reads the collectors for the scope that is about to be popped, which
// ended at t and took ns, and adds up what they have grown by; false: it was not read when it
// began.
//
//go:norace
//go:nocheckptr
func (p *slot) readEnd(index uint32, t, ns uint64) bool {
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || rd.room < n || rd.frame(n-1).good == unread {
		return false
	}
	began := now()
	s, pl := rd.then(), rd.plan
	if rd.at != t {
		s = rd.now()
		p.take(rd, s, true)
	}
	f := rd.frame(n - 1)
	dropped := uint64(0)
	for k := range pl.collectors {
		if (f.good&s.good)>>k&1 == 0 || *pl.where(f, k) != *pl.where(s, k) || !pl.grow(f, s, &pl.of[k], ns) {
			dropped |= 1 << k
		}
	}
	f.good = (1<<pl.collectors - 1) &^ dropped
	if n > 1 {
		around := rd.frame(n - 2)
		if around.good != unread {
			around.good &^= dropped
		}
		for v := range pl.values {
			*pl.inner(around, v) += *pl.value(f, v)
		}
	}
	i := p.stack.at(n - 1).index
	pl.record(index, f, i&nestedBit != 0)
	p.overlookRead(rd, began, i&^scopeBits)
	return true
}

// unread stands in a frame whose scope is not read.
const unread = 1 << 63

// readNothing takes note that the scope that has been pushed is not read.
//
//go:norace
//go:nocheckptr
func (p *slot) readNothing() {
	rd, n := p.stack.read.p, p.stack.n
	if rd == nil || rd.room < n {
		if rd = p.makeReadings(); rd == nil {
			return
		}
	}
	rd.frame(n - 1).good = unread
}

// grow replaces the values of a collector in a frame by what they have grown by
// since; false if one has not kept to its promise and fallen. The scope took ns.
//
//go:norace
func (p *plan) grow(f, since *snapshot, r *reader, ns uint64) bool {
	ok := true
	for v := r.first; v < r.first+uintptr(len(r.Values)); v++ {
		d := *p.value(since, v) - *p.value(f, v)
		ok = ok && int64(d) >= 0
		*p.value(f, v) = d
		if r.Remainder && v > r.first {
			ns = less(ns, d)
		}
	}
	if r.Remainder {
		*p.value(f, r.first) = ns
	}
	return ok
}

// readStopped reads the collectors when recover has stopped a panic, for the
// scopes that it left.
//
//go:norace
//go:nocheckptr
func (p *slot) readStopped() {
	rd := p.stack.read.p
	if rd == nil {
		return
	}
	began := now()
	rd.at, rd.over = p.recovered, p.over
	p.take(rd, rd.then(), true)
	p.overlookRead(rd, began, 0)
}

// sinceStopped is what scopes have cost since recover last stopped a panic, 0 if
// that was not read then: it is nothing to the scopes that the panic left.
//
//go:norace
//go:nocheckptr
func (p *slot) sinceStopped() uint64 {
	if rd := p.stack.read.p; rd != nil && rd.at == p.recovered && rd.at != 0 {
		return p.over - rd.over
	}
	return 0
}

// overlookRead takes the time since then, in which collectors were read for a scope of the marker of that index, off
// the scopes that are open, and off the window.
//
//go:norace
func (p *slot) overlookRead(rd *readings, since uint64, index uint32) {
	if d := now() - since; int64(d) > 0 {
		d = d<<costBits + rd.plan.clock
		p.over += d
		if conf.windows() && hasRate(index) {
			takenInWindow(since, d>>costBits)
		}
	}
}

// take reads all collectors, at the ends of scopes in the opposite order.
//
//go:norace
//go:nocheckptr
func (p *slot) take(rd *readings, s *snapshot, end bool) {
	pl, good := rd.plan, uint64(0)
	s.good = 0
	rd.open = p.stack
	p.stack = &rd.closed
	for i := range pl.collectors {
		k := i
		if end {
			k = pl.collectors - 1 - i
		}
		r := &pl.of[k]
		into := unsafe.Slice(pl.value(s, r.first), len(r.Values))
		ok := false
		if r.own == nil {
			*pl.where(s, k), ok = r.Read(&rd.free, into)
		} else if *pl.where(s, k) = 0; r.broken == 0 {
			ok = p.readOwn(r, into)
		}
		if ok {
			good |= 1 << k
		}
	}
	p.stack = rd.open
	s.good = good
}

// readOwn reads a collector of the program; false if that panics.
//
//go:norace
func (p *slot) readOwn(r *reader, into []uint64) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil {
			r.fail(v)
		} else { // runtime.Goexit
			p.stack = p.stack.scopes()
		}
	}()
	r.own.Read(into)
	return true
}

// fail is called when Read has panicked.
//
//go:norace
func (r *reader) fail(v any) {
	if !atomic.CompareAndSwapUint32(&r.broken, 0, 1) {
		return
	}
	what := ""
	switch v := v.(type) {
	case string:
		what = ": " + v
	case runtime.Error:
		what = ": " + v.Error()
	}
	complain("collector " + r.Name + ": Read panicked" + what + "; it is read no more")
}

// makeReadings gives the goroutine a frame for each scope that its stack has room
// for; nil: there is no memory, or the run that it has scopes of is over.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) makeReadings() *readings {
	old, pl := p.stack.read.p, reading
	if old != nil {
		pl = old.plan
	}
	if pl == nil {
		return nil
	}
	size := func(room uint32) uintptr {
		return unsafe.Sizeof(readings{}) + 8*(2*pl.snapshot+uintptr(room)*pl.frame)
	}
	lock()
	rd := (*readings)(anonymous(size(p.stack.room)))
	unlock()
	if rd == nil {
		return nil
	}
	if old != nil {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(rd)), size(old.room)), unsafe.Slice((*byte)(unsafe.Pointer(old)), size(old.room)))
	}
	rd.plan, rd.open, rd.room = pl, p.stack, p.stack.room
	rd.closed.read.p = rd
	p.stack.read.p = rd
	return rd
}

// reads is a BlockRead.
type reads struct {
	kind       uint32
	shard      uint32
	bytes      uint64
	marker     uint64
	collectors uint64
	values     uint64
	_          [3]uint64
}

// The struct and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(reads{}.marker)-layout.OffReadMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(reads{}.collectors)-layout.OffReadCollectors]
	_ = [1]struct{}{}[unsafe.Offsetof(reads{}.values)-layout.OffReadValues]
	_ = [1]struct{}{}[unsafe.Sizeof(reads{})-layout.OffReadData]
)

// blockOf finds the block of the marker on processor pid, nil when it has none yet.
// The caller is pinned.
//
//go:norace
//go:nocheckptr
func (p *plan) blockOf(pid int, index uint32) *reads {
	if uint(pid) >= layout.MaxShards {
		return nil
	}
	d := p.shards[pid]
	if d == nil || uint64(index) >= d.n {
		return nil
	}
	return d.of[index%maxIndex]
}

// record adds a scope of the marker of that index, whose frame has what the values
// have grown by, to what its processor has of it.
//
//go:norace
//go:nocheckptr
func (p *plan) record(index uint32, f *snapshot, nested bool) {
	for {
		pid := procPin()
		if b := p.blockOf(pid, index); b != nil && p.spreadsIn(b, f) {
			p.addTo(b, f, nested)
			procUnpin()
			return
		}
		procUnpin()
		if p.prepare(pid, index, f, nested) {
			return
		}
	}
}

//go:norace
func (p *plan) addTo(b *reads, f *snapshot, nested bool) {
	for k := range p.collectors {
		at := k * layout.ReadSize
		if f.good>>k&1 == 0 {
			b.add(at+layout.ReadDropped, 1)
			continue
		}
		b.add(at+layout.ReadScopes, 1)
		r := &p.of[k]
		for v := r.first; v < r.first+uintptr(len(r.Values)); v++ {
			at := p.collectors*layout.ReadSize + v*layout.ReadValueSize
			d := *p.value(f, v)
			b.add(at+layout.ReadValueSum, d)
			b.add(at+layout.ReadValueSelf, less(d, *p.inner(f, v)))
			if nested {
				b.add(at+layout.ReadValueNested, d)
			}
		}
	}
	if p.spreads > 0 {
		p.spread(b, f)
	}
}

//go:norace
//go:nocheckptr
func (b *reads) add(off uintptr, n uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(b), layout.OffReadData+off)) += n
}

// prepare makes a block for the marker on a processor, and what else it takes to add
// the scope there. done: the scope has been added, on a processor that shares its blocks, or there is no memory.
//
//go:norace
//go:nocheckptr
func (p *plan) prepare(pid int, index uint32, f *snapshot, nested bool) (done bool) {
	lock()
	defer unlock()
	if p != reading || index < firstIndex || index >= nextIndex || pid < 0 {
		return true
	}
	shard := min(pid, layout.MaxShards)
	d := extend(&p.shards[shard], index)
	if d == nil {
		return true
	}
	b := d.of[index]
	if b == nil {
		if b = (*reads)(newBlock(layout.BlockRead, uint32(shard), p.spreadsAt()+p.spreads*spreadSize)); b == nil {
			return true
		}
		b.marker = uint64(index - firstIndex)
		b.collectors, b.values = uint64(p.collectors), uint64(p.values)
		publish(unsafe.Pointer(b))
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[index])), unsafe.Pointer(b))
	}
	if !p.makeSpreads(b, f) {
		return true
	}
	if pid >= layout.MaxShards {
		p.addTo(b, f, nested)
		return true
	}
	return false
}
