package trace

import "github.com/markgen/markgen/profile"

// A pairing finds the passages of a Between in one trace.
type pairing struct {
	*Between
	roles  []uint8 // by index of a marker, role…
	scopes bool    // from the beginning of a marker's scopes to their end
	nsPer  float64 // 1/256 tick

	goroutines map[uint64]*waiting
	latest     [latestLines]*waiting
	watch      *waiting // the goroutine that has started the stopwatch whose scopes are looked for; nil: none has
	waiting    int      // passages of From, over all goroutines
	swept      int      // goroutines that the last sweep left
	dropped    uint64

	// Where records are missing nothing can be paired: not what began before, for
	// its end may be among them, nor what comes until the tick of the last of them.
	// An epoch is the time between such places.
	epoch      uint64
	blind      bool
	blindUntil uint64

	// While the run was paused, a To may have been passed that has no record. A scope that was open then
	// has its end: the pauses matter where that is not all that is looked for.
	pauses []uint64 // ticks at which those began that are still to come
}

const (
	roleFrom = 1 << iota
	roleTo
)

// mostWaiting is how many passages of From wait for their To at once, at most. A
// quarter of the goroutines, or of the passages of one, is dropped to make room: the eldest.
const mostWaiting = 1 << 20

// waiting is what is known of a goroutine.
type waiting struct {
	goroutine uint64
	epoch     uint64
	cost      uint64 // of its records so far, ticks/256; only differences mean anything
	seen      uint64 // number of its latest passage of From
	from      []passage
}

// passage is a passage of From.
type passage struct {
	tick  uint64
	cost  uint64 // of the goroutine's records before
	own   uint64 // of its record
	level uint32
}

func newPairing(b *Between, t *File) *pairing {
	p := &pairing{Between: b, nsPer: 1e9 / 256, goroutines: map[uint64]*waiting{}}
	if t.Clock.Hz > 0 {
		p.nsPer /= t.Clock.Hz
	}
	p.scopes = b.From.Name == b.To.Name && b.From.Kind != RecordExit && b.To.Kind == RecordExit
	if !p.scopes {
		p.pauses = t.records.Pauses
	}
	p.roles = make([]uint8, len(t.Markers))
	for i, m := range t.Markers {
		if m.Name == b.From.Name {
			p.roles[i] |= roleFrom
		}
		if m.Name == b.To.Name {
			p.roles[i] |= roleTo
		}
	}
	return p
}

func (p *pairing) visit(r *Record) {
	if r.Kind == RecordGap {
		if !p.blind {
			p.blind, p.blindUntil = true, 0
			p.epoch++
		}
		p.blindUntil = max(p.blindUntil, r.Cost)
		return
	}
	p.Records++
	for len(p.pauses) > 0 && r.Tick > p.pauses[0] {
		p.pauses = p.pauses[1:]
		p.epoch++
	}
	if p.blind && r.Tick > p.blindUntil {
		p.blind = false
		p.epoch++
	}
	role := uint8(0)
	if uint32(r.Marker) < uint32(len(p.roles)) {
		role = p.roles[r.Marker]
	}
	w := p.latest[r.Goroutine%latestLines]
	if w == nil || w.goroutine != r.Goroutine {
		if w = p.goroutines[r.Goroutine]; w != nil {
			p.latest[r.Goroutine%latestLines] = w
		} else if role == 0 {
			return
		}
	}
	if role != 0 {
		if w != nil && (w.epoch != p.epoch || p.blind) {
			p.forget(w, 0)
			w.epoch = p.epoch
		}
		if role&roleTo != 0 && p.To.is(r.Kind) {
			p.to(w, r)
		} else if p.scopes && r.Kind == RecordLeft && w != nil {
			if n := len(w.from); n > 0 && w.from[n-1].level == r.Level {
				p.Left++
			}
			p.forgetAbove(w, r.Level-1)
		}
		if role&roleFrom != 0 && p.From.is(r.Kind) {
			w = p.from(w, r)
		}
	}
	if w != nil {
		w.cost += r.Cost
	}
}

// to ends the latest passage of From.
func (p *pairing) to(w *waiting, r *Record) {
	if r.Kind == RecordStop && p.scopes {
		if w = p.watch; w != nil && w.epoch != p.epoch {
			p.forget(w, 0)
		}
	}
	if w != nil && p.scopes {
		p.forgetAbove(w, r.Level)
		if n := len(w.from); n > 0 && w.from[n-1].level != r.Level {
			w = nil
		}
	}
	if w == nil || len(w.from) == 0 || p.blind {
		p.Unpaired++
		return
	}
	n := len(w.from) - 1
	from := w.from[n]
	w.from = w.from[:n]
	p.waiting--
	cost := w.cost - from.cost
	if w.goroutine != r.Goroutine {
		cost = from.own
	}
	ns := 0.0
	if ticks := r.Tick - from.tick; int64(ticks) > 0 {
		ns = profile.Uint128{Hi: ticks >> 56, Lo: ticks << 8}.Sub(profile.Uint128{Lo: cost}).Float64() * p.nsPer
	}
	p.CostNS += float64(cost) * p.nsPer
	p.Spread.Add(ns)
}

// from adds a passage of From.
func (p *pairing) from(w *waiting, r *Record) *waiting {
	if p.blind {
		p.Unpaired++
		return w
	}
	if p.waiting >= mostWaiting {
		p.makeRoom()
		w = p.goroutines[r.Goroutine]
	}
	if w == nil {
		if len(p.goroutines) >= 2*p.swept+mostIdle {
			p.sweep()
		}
		w = &waiting{goroutine: r.Goroutine, epoch: p.epoch}
		p.goroutines[r.Goroutine] = w
		p.latest[r.Goroutine%latestLines] = w
	}
	switch {
	case r.Kind == RecordStart && p.scopes: // the latest has been stopped
		if p.watch != nil {
			p.forget(p.watch, 0)
		}
		p.watch = w
	case p.scopes:
		p.forgetAbove(w, r.Level-1)
	}
	w.seen = p.Records
	w.from = append(w.from, passage{r.Tick, w.cost, r.Cost, r.Level})
	p.waiting++
	return w
}

// forget drops a goroutine's passages above the first n: they have no partner.
func (p *pairing) forget(w *waiting, n int) {
	p.Unpaired += uint64(len(w.from) - n)
	p.waiting -= len(w.from) - n
	w.from = w.from[:n]
}

// forgetAbove drops those whose scopes were within one of that level.
func (p *pairing) forgetAbove(w *waiting, level uint32) {
	n := len(w.from)
	for n > 0 && w.from[n-1].level > level {
		n--
	}
	p.forget(w, n)
}

// sweep forgets goroutines of which nothing is known but their cost.
func (p *pairing) sweep() {
	for g, w := range p.goroutines {
		if w.epoch != p.epoch {
			p.forget(w, 0)
		}
		if len(w.from) == 0 {
			p.drop(g, w)
		}
	}
	p.swept = len(p.goroutines)
}

func (p *pairing) drop(g uint64, w *waiting) {
	p.forget(w, 0)
	delete(p.goroutines, g)
	if p.latest[g%latestLines] == w {
		p.latest[g%latestLines] = nil
	}
}

// makeRoom drops the goroutines that have waited longest, or if one alone has most of the
// passages the eldest of these.
func (p *pairing) makeRoom() {
	p.sweep()
	p.swept = 0
	before := p.waiting
	for p.waiting > mostWaiting*3/4 {
		eldest, sum := p.Records, uint64(0)
		for _, w := range p.goroutines {
			eldest = min(eldest, w.seen)
			sum += w.seen / uint64(len(p.goroutines))
		}
		middle := max(sum, eldest)
		for g, w := range p.goroutines {
			switch {
			case len(w.from) > mostWaiting/4:
				n := copy(w.from, w.from[mostWaiting/8:])
				p.forget(w, n)
			case w.seen <= middle:
				p.drop(g, w)
			}
		}
	}
	p.dropped += uint64(before - p.waiting)
}

// end counts what has found no partner.
func (p *pairing) end() {
	for _, w := range p.goroutines {
		p.forget(w, 0)
	}
}
