package trace

import (
	"cmp"
	"maps"
	"slices"
)

// Kinds of steps.
const (
	StepBegin     = iota // a scope begins
	StepEnd              // the innermost scope ends
	StepLeft             // the innermost scope was left by a panic or runtime.Goexit
	StepLost             // the end of the innermost scope is missing; it lasted at least until Tick
	StepOpen             // the innermost scope is open at the end of the trace, at Tick
	StepLoneBegin        // a scope begins whose end is unknown
	StepLoneEnd          // a scope ends whose start is unknown
	StepLoneLeft         // a scope was left whose start is unknown
	StepPoint            // a call without a duration
	StepTaken            // not a call: a marker took additional time
	StepGap              // records of a processor are missing
	StepStart            // a stopwatch starts
	StepStop             // a stopwatch stops
	StepStopLost         // the stop of a stopwatch is missing; it ran at least until Tick
)

// A Step is the meaning of a trace record for its goroutine. The steps of each goroutine nest. Each
// begin has one end, the next one of its level, at least one ns later: readers that sort by time
// could not order a begin and end at the same time.
//
// As with Between, nothing is paired across missing records: the next end may be that of another
// scope. Scopes that were open there end with StepLost, at the goroutine's latest record; scopes
// that begin or end while records are missing are unpaired (StepLone…). Stopwatches do not nest,
// and may be stopped by another goroutine.
type Step struct {
	Kind      uint8  // Step…
	New       bool   // first step of its goroutine, or the first one for a long time
	Tick      uint64 // not less than that of the goroutine's previous step
	Goroutine uint64 // 0 for StepGap
	Marker    int32  // index in File.Markers; -1 if no table names it
	Watch     uint64 // number shared by StepStart and StepStop or StepStopLost; 0 if the other is unknown
	Starter   uint64 // for StepStop with a Watch, the goroutine that started it
	Record    *Record
}

// The most recently used latestLines goroutines are found without a map; mostIdle is the number of
// goroutines without open scopes or unpaired calls that are certainly remembered.
const (
	latestLines = 1024
	mostIdle    = 1 << 16
)

// mostOpen is the maximum number of open scopes.
const mostOpen = 1 << 20

// Steps calls visit with all steps, in the order of Each. visit must not keep the step or its
// record; StepLost, StepOpen and StepStopLost have no record.
//
// Memory does not grow with the number of records. If more than mostOpen scopes are open at once,
// those of the least recently active goroutines end with StepLost; givenUp is their number.
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

// nesting derives the steps of one trace.
type nesting struct {
	visit func(*Step)
	step  Step

	goroutines map[uint64]*nest
	latest     [latestLines]*nest
	open       int // open scopes, over all goroutines
	swept      int // number of goroutines after the last sweep
	givenUp    uint64
	watches    map[int32]startedWatch // running stopwatches, by marker
	starts     uint64                 // number of stopwatch starts so far
	shortest   uint64                 // minimum duration of a scope in ticks, see Step
	now        uint64                 // tick of the latest step of any goroutine
	over       bool                   // the trace has ended

	// As in a pairing, an epoch is the time between gaps.
	epoch      uint64
	blind      bool
	blindUntil uint64
}

// nest is the state of a goroutine.
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

// A startedWatch is a running stopwatch: the goroutine that started it, and the number of that
// start.
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

// gap handles missing records: open scopes may end there, and similar ones may begin.
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
	if r.Level == 0 { // only in a damaged file
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

// exit ends a scope. It returns paired if the start is known, and lone otherwise.
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

// lose ends the goroutine's scopes above a level because their ends are missing, or because the
// trace has ended.
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

// loseWatch ends a stopwatch whose stop is missing, if it runs.
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

// find returns the state of a goroutine, and whether it is new.
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

// sweep drops goroutines without an open scope.
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

// makeRoom ends the scopes of the least recently active goroutines.
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

// end ends scopes from before a gap.
func (s *nesting) end() {
	s.loseAll(func(n *nest) bool { return n.epoch != s.epoch })
}

// loseAll ends the scopes of the goroutines for which among returns true, in ascending order of
// goroutine IDs.
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
