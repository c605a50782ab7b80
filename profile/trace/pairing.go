package trace

import "github.com/markgen/markgen/profile"

// A pairing pairs the calls of a Between in one trace.
type pairing struct {
	*Between
	roles  []uint8 // by marker index, role…
	scopes bool    // pairing the starts of a marker's scopes with their ends
	nsPer  float64 // ns per 1/256 tick
	file   string
	start  uint64 // tick at which the run began

	goroutines map[uint64]*waiting
	latest     [latestLines]*waiting
	watch      *waiting // the goroutine that started the stopwatch being measured; nil if it does not run
	waiting    int      // unpaired calls of From, over all goroutines
	swept      int      // number of goroutines after the last sweep
	dropped    uint64

	// Nothing is paired across missing records: the end of an earlier scope may be among them, and
	// the same is true for records up to the tick of the last missing one. An epoch is the time
	// between gaps.
	epoch      uint64
	blind      bool
	blindUntil uint64

	// While the run was paused, calls of To were not recorded, so pairs must not span a pause. The
	// ends of open scopes were recorded: for scopes, pauses do not matter.
	pauses []uint64 // ticks at which the remaining pauses began
}

const (
	roleFrom = 1 << iota
	roleTo
)

// mostWaiting is the maximum number of unpaired calls of From. To make room, a quarter of the
// goroutines is dropped, or a quarter of the calls of one goroutine: the oldest.
const mostWaiting = 1 << 20

// waiting is the state of a goroutine.
type waiting struct {
	goroutine uint64
	epoch     uint64
	cost      uint64 // of its records so far, ticks/256; only differences are meaningful
	seen      uint64 // number of its latest call of From
	from      []scope
}

// scope is a call of From.
type scope struct {
	tick  uint64
	cost  uint64 // cost of the goroutine's records before it
	own   uint64 // cost of its own record
	level uint32
}

func newPairing(b *Between, t *File) *pairing {
	p := &pairing{Between: b, nsPer: 1e9 / 256, file: t.Name, start: t.StartTick, goroutines: map[uint64]*waiting{}}
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

// to pairs a call of To with the latest call of From.
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
	if ns > p.Slowest.NS || p.Count == 1 {
		p.Slowest = Pair{ns, float64(from.tick-p.start) * 256 * p.nsPer, w.goroutine, p.file}
	}
}

// from adds a call of From.
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
	case r.Kind == RecordStart && p.scopes: // the previous one was stopped
		if p.watch != nil {
			p.forget(p.watch, 0)
		}
		p.watch = w
	case p.scopes:
		p.forgetAbove(w, r.Level-1)
	}
	w.seen = p.Records
	w.from = append(w.from, scope{r.Tick, w.cost, r.Cost, r.Level})
	p.waiting++
	return w
}

// forget drops a goroutine's calls from index n on as unpaired.
func (p *pairing) forget(w *waiting, n int) {
	p.Unpaired += uint64(len(w.from) - n)
	p.waiting -= len(w.from) - n
	w.from = w.from[:n]
}

// forgetAbove drops the calls whose scopes are nested deeper than level.
func (p *pairing) forgetAbove(w *waiting, level uint32) {
	n := len(w.from)
	for n > 0 && w.from[n-1].level > level {
		n--
	}
	p.forget(w, n)
}

// sweep drops goroutines without unpaired calls.
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

// makeRoom drops the goroutines that have waited longest, or the oldest calls of a goroutine that
// has most of them.
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

// end counts the remaining calls as unpaired.
func (p *pairing) end() {
	for _, w := range p.goroutines {
		p.forget(w, 0)
	}
}
