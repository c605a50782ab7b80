package collect

import "unsafe"

// Readings are those of one goroutine: of each scope that is open, what was read when it began and what the
// scopes directly inside have had so far. They lie in memory of the size that Size says, and only their
// goroutine calls their methods. Scopes are numbered from 0, the outermost:
//
//	r.Read(r.Begin(n), false) // the n-th scope begins
//	r.Read(r.Latest(), true)  // it ends
//	had := r.End(n, r.Latest(), ns)
//
// A scope is read if each of its two readings was possible and they can be compared; else it is dropped, by
// collector, and so are the scopes around it, for what they had cannot be right either.
type Readings struct {
	plan    *Plan // the caller keeps it alive
	room    int   // scopes
	scratch Scratch
	words   struct{} // frames: Latest, Stopped, and those of scopes
}

// A Frame is a reading of all collectors, and what scopes inside had: behind the first word are the values,
// those of the scopes directly inside, and where each collector was read.
type Frame struct {
	good uint64 // a bit for each collector that could be read; skipped: the scope is not read
}

const (
	latest = iota
	stopped
	ofScopes

	skipped = 1 << 63
)

//go:norace
//go:nocheckptr
func (f *Frame) word(i int) *uint64 { return (*uint64)(unsafe.Add(unsafe.Pointer(f), 8*i)) }

func (p *Plan) frameWords() int               { return 1 + 2*p.values + len(p.readers) }
func (p *Plan) value(f *Frame, v int) *uint64 { return f.word(1 + v) }
func (p *Plan) inner(f *Frame, v int) *uint64 { return f.word(1 + p.values + v) }
func (p *Plan) where(f *Frame, k int) *uint64 { return f.word(1 + 2*p.values + k) }

// Size is the size of Readings for so many open scopes, in bytes.
func (p *Plan) Size(room uint32) uintptr {
	return unsafe.Sizeof(Readings{}) + 8*uintptr(ofScopes+room)*uintptr(p.frameWords())
}

// Open makes zeroed memory, of p.Size(room), Readings for so many open scopes.
//
//go:norace
func (r *Readings) Open(p *Plan, room uint32) { r.plan, r.room = p, int(room) }

// Copy copies those of the same plan that have no more room.
//
//go:norace
//go:nocheckptr
func (r *Readings) Copy(from *Readings) {
	words := (ofScopes + from.room) * r.plan.frameWords()
	copy(unsafe.Slice(r.frame(0).word(0), words), unsafe.Slice(from.frame(0).word(0), words))
}

// frame is the i-th.
//
//go:norace
//go:nocheckptr
func (r *Readings) frame(i int) *Frame {
	return (*Frame)(unsafe.Add(unsafe.Pointer(r), int(unsafe.Offsetof(r.words))+8*i*r.plan.frameWords()))
}

// scope is the frame of the n-th scope.
func (r *Readings) scope(n uint32) *Frame { return r.frame(ofScopes + int(n)) }

// Has says whether there is room for the n-th scope.
//
//go:norace
func (r *Readings) Has(n uint32) bool { return int(n) < r.room }

// Begun says whether Begin was called for the n-th scope.
//
//go:norace
func (r *Readings) Begun(n uint32) bool { return r.Has(n) && r.scope(n).good != skipped }

// Begin gives the frame for reading the collectors when the n-th scope begins.
//
//go:norace
func (r *Readings) Begin(n uint32) *Frame {
	f := r.scope(n)
	for v := range r.plan.values {
		*r.plan.inner(f, v) = 0
	}
	return f
}

// Skip is called instead of Begin for a scope that is not read.
//
//go:norace
func (r *Readings) Skip(n uint32) { r.scope(n).good = skipped }

// Latest gives the frame for reading the collectors when a scope ends.
//
//go:norace
func (r *Readings) Latest() *Frame { return r.frame(latest) }

// Stopped gives the frame for reading the collectors when recover stops a panic, which is the end
// of the scopes that it left.
//
//go:norace
func (r *Readings) Stopped() *Frame { return r.frame(stopped) }

// End gives what the n-th scope, the innermost, has had until the end was read, and adds that to
// what scopes inside the one around have had. The scope took ns. The frame is valid until another
// scope begins.
//
//go:norace
func (r *Readings) End(n uint32, end *Frame, ns uint64) *Frame {
	p, f := r.plan, r.scope(n)
	f.good &= end.good
	for k := range p.readers {
		if *p.where(f, k) != *p.where(end, k) || !p.grow(f, end, &p.readers[k], ns) {
			f.good &^= 1 << k
		}
	}
	if n > 0 {
		around := r.scope(n - 1)
		if around.good != skipped {
			around.good &= f.good
		}
		for v := range p.values {
			*p.inner(around, v) += *p.value(f, v)
		}
	}
	return f
}

// grow replaces the values of a collector in the frame of a scope, which took ns, by what they have
// grown by until its end; false if one has not kept to its promise and fallen.
//
//go:norace
func (p *Plan) grow(f, end *Frame, r *planned, ns uint64) bool {
	ok := true
	for v := r.first; v < r.end; v++ {
		d := *p.value(end, v) - *p.value(f, v)
		ok = ok && int64(d) >= 0
		*p.value(f, v) = d
		if r.Remainder && v > r.first {
			ns -= min(ns, d)
		}
	}
	if r.Remainder {
		*p.value(f, r.first) = ns
	}
	return ok
}

// Read reads all collectors, in the opposite order at the end of a scope. If the goroutine ends
// meanwhile, as one of the program's may have it do, none was read.
//
//go:norace
//go:nocheckptr
func (r *Readings) Read(f *Frame, end bool) {
	p, good := r.plan, uint64(0)
	f.good = 0
	for k := range p.readers {
		if end {
			k = len(p.readers) - 1 - k
		}
		c := &p.readers[k]
		var ok bool
		if *p.where(f, k), ok = c.Read(&r.scratch, unsafe.Slice(p.value(f, c.first), len(c.Values))); ok {
			good |= 1 << k
		}
	}
	f.good = good
}
