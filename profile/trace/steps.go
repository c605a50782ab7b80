package trace

import (
	"cmp"
	"maps"
	"slices"
)

// What a Step is.
const (
	StepBegin     = iota // a scope begins
	StepEnd              // the innermost scope ends
	StepLeft             // the innermost scope turns out to have been left by a panic or runtime.Goexit
	StepLost             // the innermost scope's end is not in the trace; it lasted until Tick at least
	StepOpen             // the innermost scope is open when the trace ends, at Tick
	StepLoneBegin        // a scope begins of which it can't be known when it ends
	StepLoneEnd          // a scope ends of which it can't be known when it began
	StepLoneLeft         // the same of one that was left
	StepPoint            // a passage without a duration
	StepTaken            // no passage: a marker took time besides
	StepGap              // records of a processor are missing
	StepStart            // a stopwatch is started
	StepStop             // a stopwatch is stopped
	StepStopLost         // a stopwatch's stop is not in the trace; it ran until Tick at least
)

// A Step is what a record of a trace means to its goroutine: the steps of each
// goroutine nest. What begins has one end, which is the next of its level. It is a ns
// later at least: of what begins and ends at one time, readers that sort can't tell which was first.
//
// As with Between, nothing is paired that could reach over a place where records
// are missing: the end that is there may be that of another scope. Scopes that were
// open there end with StepLost, at the goroutine's latest record; those that begin
// or end while records are missing do so alone. Stopwatches do not nest: they may be stopped by another goroutine.
type Step struct {
	Kind      uint8  // Step…
	New       bool   // the first of its goroutine, or the first for long
	Tick      uint64 // never less than that of the step before it on its goroutine
	Goroutine uint64 // 0 of StepGap
	Marker    int32  // index in File.Markers; -1 where no table names it
	Watch     uint64 // of StepStart and StepStop or StepStopLost: a number that the two have in common; 0: the other is not known
	Starter   uint64 // of StepStop with a Watch: the goroutine that has started it
	Record    *Record
}

// Of what is known of goroutines as a trace is read, that of the latest latestLines is found without a map; mostIdle
// is how many of them are remembered for certain while nothing is open there, or waits.
const (
	latestLines = 1024
	mostIdle    = 1 << 16
)

// mostOpen is how many open scopes are kept.
const mostOpen = 1 << 20

// Steps gives all steps to visit, in the order of Each. A step and its record are
// visit's until it returns; a StepLost, a StepOpen and a StepStopLost have no record.
//
// Memory does not grow with the number of records. When more than a million scopes
// are open at once, those of the goroutines that have done nothing for longest end with StepLost; givenUp is
// how many.
func (t *File) Steps(visit func(*Step)) (givenUp uint64, err error) {
	s := &nesting{visit: visit, goroutines: map[uint64]*nest{}, watches: map[int32]startedWatch{}, shortest: 1}
	if hz := t.Clock.Hz; hz > 0 && hz != 1e9 {
		s.shortest = uint64(hz/1e9) + 1
	}
	err = t.Each(s.record)
	s.end()
	s.over = true
	s.loseAll(func(*nest) bool { return true })
	s.loseWatches()
	return s.givenUp, err
}

// nesting finds the steps of one trace.
type nesting struct {
	visit func(*Step)
	step  Step

	goroutines map[uint64]*nest
	latest     [latestLines]*nest
	open       int // scopes, over all goroutines
	swept      int // goroutines that the last sweep left
	givenUp    uint64
	watches    map[int32]startedWatch // those that run, by marker
	starts     uint64                 // of all watches so far
	shortest   uint64                 // ticks of a scope, see Step
	now        uint64                 // tick of the latest step of any goroutine
	over       bool                   // the trace has ended

	// As in a pairing: an epoch is the time between places where records are missing.
	epoch      uint64
	blind      bool
	blindUntil uint64
}

// nest is what is known of a goroutine.
type nest struct {
	goroutine uint64
	epoch     uint64
	last      uint64 // tick of its latest step
	begun     uint64 // tick of its latest StepBegin
	open      []openScope
}

type openScope struct {
	level  uint32
	marker int32
}

// A startedWatch is a stopwatch that runs: who started it, and the number of that start.
type startedWatch struct {
	by     *nest
	number uint64
}

func (s *nesting) record(r *Record) {
	if r.Kind == RecordGap {
		s.gap(r)
		return
	}
	if s.blind && r.Tick > s.blindUntil {
		s.blind = false
		s.epoch++
	}
	n := s.latest[r.Goroutine%latestLines]
	isNew := false
	if n == nil || n.goroutine != r.Goroutine {
		n, isNew = s.find(r.Goroutine)
	}
	if n.epoch != s.epoch {
		s.lose(n, 0)
		n.epoch = s.epoch
	}
	kind, watch, starter := uint8(StepPoint), uint64(0), uint64(0)
	switch r.Kind {
	case RecordEnter:
		kind = s.enter(n, r)
	case RecordExit:
		kind = s.exit(n, r, StepEnd, StepLoneEnd)
	case RecordLeft:
		kind = s.exit(n, r, StepLeft, StepLoneLeft)
	case RecordTaken:
		kind = StepTaken
	case RecordStart:
		kind = StepStart
		s.loseWatch(r.Marker)
		if !s.blind {
			s.starts++
			watch = s.starts
			s.watches[r.Marker] = startedWatch{n, watch}
		}
	case RecordStop:
		kind = StepStop
		if w, ok := s.watches[r.Marker]; ok {
			watch, starter = w.number, w.by.goroutine
			delete(s.watches, r.Marker)
		}
	}
	n.last = max(n.last, r.Tick)
	switch kind {
	case StepBegin:
		n.begun = n.last
	case StepEnd, StepLeft:
		n.last = max(n.last, n.begun+s.shortest)
	}
	s.now = max(s.now, n.last)
	s.step = Step{Kind: kind, New: isNew, Tick: n.last, Goroutine: r.Goroutine, Marker: r.Marker, Watch: watch, Starter: starter, Record: r}
	s.visit(&s.step)
}

// gap is a place where records are missing: what is open may end there, and other
// scopes like it begin.
func (s *nesting) gap(r *Record) {
	if !s.blind {
		s.blind, s.blindUntil = true, 0
		s.epoch++
	}
	s.blindUntil = max(s.blindUntil, r.Cost)
	s.loseWatches()
	s.step = Step{Kind: StepGap, Tick: r.Tick, Marker: -1, Record: r}
	s.visit(&s.step)
}

func (s *nesting) enter(n *nest, r *Record) uint8 {
	if r.Level == 0 { // in a damaged file
		return StepLoneBegin
	}
	s.lose(n, r.Level-1)
	if s.blind {
		return StepLoneBegin
	}
	if s.open >= mostOpen {
		s.makeRoom()
	}
	n.open = append(n.open, openScope{r.Level, r.Marker})
	s.open++
	return StepBegin
}

// exit ends a scope, as paired if its beginning is known.
func (s *nesting) exit(n *nest, r *Record, paired, lone uint8) uint8 {
	s.lose(n, r.Level)
	k := len(n.open) - 1
	if k < 0 || n.open[k].level != r.Level {
		return lone
	}
	if n.open[k].marker != r.Marker {
		s.lose(n, r.Level-1)
		return lone
	}
	n.open = n.open[:k]
	s.open--
	return paired
}

// lose ends the goroutine's scopes above a level: they are over, and their ends
// are not in the trace; or the trace is.
func (s *nesting) lose(n *nest, level uint32) {
	if len(n.open) == 0 {
		return
	}
	kind := uint8(StepLost)
	if s.over {
		kind, n.last = StepOpen, max(n.last, s.now)
	}
	for k := len(n.open) - 1; k >= 0 && n.open[k].level > level; k-- {
		marker := n.open[k].marker
		n.open = n.open[:k]
		s.open--
		n.last = max(n.last, n.begun+s.shortest)
		s.step = Step{Kind: kind, Tick: n.last, Goroutine: n.goroutine, Marker: marker}
		s.visit(&s.step)
	}
}

// loseWatch ends a stopwatch, if it runs: its stop is not in the trace.
func (s *nesting) loseWatch(marker int32) {
	if w, ok := s.watches[marker]; ok {
		delete(s.watches, marker)
		if s.over {
			w.by.last = max(w.by.last, s.now)
		}
		s.step = Step{Kind: StepStopLost, Tick: w.by.last, Goroutine: w.by.goroutine, Marker: marker, Watch: w.number}
		s.visit(&s.step)
	}
}

func (s *nesting) loseWatches() {
	for _, marker := range slices.Sorted(maps.Keys(s.watches)) {
		s.loseWatch(marker)
	}
}

// find returns what is known of a goroutine, and whether it is new.
func (s *nesting) find(goroutine uint64) (n *nest, isNew bool) {
	n = s.goroutines[goroutine]
	if n == nil {
		if len(s.goroutines) >= 2*s.swept+mostIdle {
			s.sweep()
		}
		n, isNew = &nest{goroutine: goroutine, epoch: s.epoch}, true
		s.goroutines[goroutine] = n
	}
	s.latest[goroutine%latestLines] = n
	return n, isNew
}

// sweep forgets goroutines without an open scope.
func (s *nesting) sweep() {
	s.end()
	clear(s.latest[:])
	for g, n := range s.goroutines {
		if len(n.open) == 0 {
			delete(s.goroutines, g)
		}
	}
	s.swept = len(s.goroutines)
}

// makeRoom ends the scopes of the goroutines that have done nothing for longest.
func (s *nesting) makeRoom() {
	before := s.open
	for s.open > mostOpen*3/4 {
		busy, sum := 0, 0.0
		for _, n := range s.goroutines {
			if len(n.open) > 0 {
				busy, sum = busy+1, sum+float64(n.last)
			}
		}
		mean := sum / float64(busy) * (1 + 1e-9)
		s.loseAll(func(n *nest) bool { return float64(n.last) <= mean })
	}
	s.givenUp += uint64(before - s.open)
}

// end loses what was open where records are missing.
func (s *nesting) end() {
	s.loseAll(func(n *nest) bool { return n.epoch != s.epoch })
}

// loseAll ends the scopes of the goroutines that are among, in the order of their
// numbers.
func (s *nesting) loseAll(among func(*nest) bool) {
	var list []*nest
	for _, n := range s.goroutines {
		if len(n.open) > 0 && among(n) {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *nest) int { return cmp.Compare(a.goroutine, b.goroutine) })
	for _, n := range list {
		s.lose(n, 0)
	}
}
