package collect

import "unsafe"

// Readings are the readings of one goroutine: for each open scope, the values at its beginning and
// the sums for the scopes directly inside so far. They lie in memory of p.Size bytes, and only
// their goroutine calls their methods. Scopes are numbered from 0, the outermost:
//
//	r.Read(r.Begin(n), false) // the n-th scope begins
//	r.Read(r.Latest(), true)  // it ends
//	had := r.End(n, r.Latest(), ns)
//
// A scope is read if both its readings succeeded and can be compared; else it is dropped, by
// collector, and so are the enclosing scopes, whose self values would be wrong.
type Readings struct {
	plan    *Plan // the caller keeps it alive
	room    int   // scopes
	scratch Scratch
	words   struct{} // frames: Latest, Stopped, then one per scope
}

// A Frame is a reading of all collectors, and the sums for the scopes inside. The first word is
// followed by the values, the values of the scopes directly inside, and where each collector was
// read.
type Frame struct {
	good uint64 // a bit for each collector that could be read; skipped if the scope is not read
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

// Size returns the size in bytes of Readings for room open scopes.
func (p *Plan) Size(room uint32) uintptr {
	return unsafe.Sizeof(Readings{}) + 8*uintptr(ofScopes+room)*uintptr(p.frameWords())
}

// Open turns zeroed memory of p.Size(room) bytes into Readings for room open scopes.
//
//go:norace
func (r *Readings) Open(p *Plan, room uint32) { r.plan, r.room = p, int(room) }

// Copy copies the readings from, which are of the same plan and have no more room.
//
//go:norace
//go:nocheckptr
func (r *Readings) Copy(from *Readings) {
	words := (ofScopes + from.room) * r.plan.frameWords()
	copy(unsafe.Slice(r.frame(0).word(0), words), unsafe.Slice(from.frame(0).word(0), words))
}

// frame returns the i-th frame.
//
//go:norace
//go:nocheckptr
func (r *Readings) frame(i int) *Frame {
	return (*Frame)(unsafe.Add(unsafe.Pointer(r), int(unsafe.Offsetof(r.words))+8*i*r.plan.frameWords()))
}

// scope returns the frame of the n-th scope.
func (r *Readings) scope(n uint32) *Frame { return r.frame(ofScopes + int(n)) }

// Has reports whether there is room for the n-th scope.
//
//go:norace
func (r *Readings) Has(n uint32) bool { return int(n) < r.room }

// Begun reports whether Begin was called for the n-th scope.
//
//go:norace
func (r *Readings) Begun(n uint32) bool { return r.Has(n) && r.scope(n).good != skipped }

// Begin returns the frame for reading the collectors when the n-th scope begins.
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

// Latest returns the frame for reading the collectors when a scope ends.
//
//go:norace
func (r *Readings) Latest() *Frame { return r.frame(latest) }

// Stopped returns the frame for reading the collectors when recover stops a panic, which ends the
// scopes that the panic left.
//
//go:norace
func (r *Readings) Stopped() *Frame { return r.frame(stopped) }

// End returns the differences of the n-th scope, the innermost, between its beginning and end, and
// adds them to the sums for the scopes inside the enclosing one. ns is the scope's duration. The
// frame is valid until another scope begins.
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

// grow replaces a collector's values in the frame of a scope, whose duration is ns, by their growth
// until its end. It returns false if a value has decreased, contrary to what Collector promises.
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

// Read reads all collectors, in reverse order at the end of a scope. If the goroutine ends
// meanwhile, which a program's collector may cause, none counts as read.
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
