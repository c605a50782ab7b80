//go:build !markgen_off

package perf

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// How much recording slows a program down in windows is told by functions that are passed now and then: milestones. They run marked between
// windows, too, where their passages are counted as in thin windows, of all of them together. As many times as fewer of them are passed in windows than in as
// long a time between, so much less far the program gets on in these, whatever the reason: that is what recording has cost.
type milestones struct {
	some   bool    // there are any
	passes float64 // what one costs, ticks, of which all together take no more than mostMilestones of the time
	most   float64 // that, or less if it has shown to be too much

	under         bool    // it is between two windows
	from, since   uint64  // how many thin passages there had been when that began, and ticks of profiling
	n, ticks      uint64  // how many there were between the windows of the batch, and how many ticks of profiling were between them
	passed, lasts float64 // how many there were between all windows, in so many ticks of processors
	batches       uint64  // in which something was passed
	again         uint64  // after how many of these to choose again
	dead          uint64  // and after how many if they are not passed

	paces [layout.Paces]marksIn // between windows, by what class windows were of then
}

const (
	// Milestones take so much of the time at most, or such a part of what windows do. What they do themselves, in the body that they run in between windows, which
	// may be a little slower, is selfMilestones times as much at most. One of them is mostOfMilestones of that at most.
	mostMilestones, ofWindows = 1.0 / 128, 1.0 / 2
	selfMilestones            = 8
	mostOfMilestones          = 0.75

	// They are chosen after so many batches in which something was passed, if there are none or they take too much again each time there have been as many
	// more, and else each time nextMilestones times as many: they stay if others would not be passed moreMilestones times as often. Each time they have taken more
	// than twice as much as they may it is lessMilestones of that from then on.
	firstMilestones, nextMilestones = 2, 3
	moreMilestones                  = 4
	lessMilestones                  = 0.7

	// So many of them tell something, and what is known without them of what a scope costs is worth asMilestones of them.
	fewMilestones, asMilestones = 16, 4

	// What else there is behind a milestone's gate is closed between windows, which takes so much of what a passage of the milestone does.
	closedPasses = 0.25
)

// marksIn is how many milestones were passed in so many ticks, and how much they came together: in so many parts of it, of which the sum of the squares of
// how many there were in each is together, between windows that over how many ticks it was.
type marksIn struct{ n, ticks, parts, together float64 }

//go:norace
func (m *marksIn) add(n, ticks, together float64) {
	m.n += n
	m.ticks += ticks
	m.parts++
	m.together += together
}

// begin is for when a window has ended, and end for when another is about to be opened. The caller holds the lock.
//
//go:norace
func (m *milestones) begin() {
	m.under, m.from, m.since = m.some, thinTotal(), profiledTicks()
}

//go:norace
func (m *milestones) end() {
	if m.under {
		m.n += thinTotal() - m.from
		m.ticks += less(profiledTicks(), m.since)
		m.under = false
	}
}

// thinTotal is how many passages have been counted that were passed thinly.
//
//go:norace
func thinTotal() (n uint64) {
	for k := range usedShards {
		n += shards[k].thin
	}
	return n
}

// take takes in the time between the windows of a batch, which are of that one of Paces and in which so many processors passed something at the same time.
// Recording calls to their ends took so many ticks of it.
//
//go:norace
func (m *milestones) take(pace int, parallel, after float64) {
	ticks := max(float64(m.ticks)-after, float64(m.ticks)/mostSlower)
	m.passed += float64(m.n)
	m.lasts += ticks * parallel
	if m.ticks != 0 {
		m.paces[pace].add(float64(m.n), ticks, float64(m.n)*float64(m.n)/ticks)
	}
	m.n, m.ticks = 0, 0
}

// often is how many are passed in a tick of a processor between windows; 0: it is not known.
//
//go:norace
func (m *milestones) often() float64 {
	if !m.some || m.passed < fewMilestones {
		return 0
	}
	return m.passed / m.lasts
}

// tell is how many times as far the program has got on, in windows of that one of Paces, as what recording costs on average leaves of them, by how many
// milestones were passed in those that had any, of which that leaves so many ticks. Windows were so many times longer than that by recording. Where that was
// little it tells more than they do, who may come all at once. Where others take turns on processors more of them are passed in windows for that.
//
//go:norace
func (m *milestones) tell(pace int, in *marksIn, left, longer float64, turns sharing) float64 {
	p := &m.paces[pace]
	if p.n == 0 || in.parts == 0 {
		return 1
	}
	together := max(p.together/p.n*left/in.parts, in.together/max(in.n, 1), 1)
	unsure := uneven * max(longer, uneven)
	known := together * max(1/(unsure*unsure+turns.unsure*turns.unsure), 1)
	return (in.n + known) / (p.n/p.ticks*left/turns.part() + known)
}

// A milestone is a function that may be one.
type milestone struct {
	rated, gate int
	share, self float64 // of the time that passing it would take, and what it does itself
}

// chooseMilestones chooses them, if it is time to. No window is open, and the caller holds the lock.
//
//go:norace
func (s *sampler) chooseMilestones() {
	m := &s.milestones
	m.passes = float64(thinCost) / (1 << costBits)
	if m.batches < max(m.again, firstMilestones) || !s.learned.known || hot.extras&extraUntimed != 0 {
		return
	}
	m.again = m.batches + firstMilestones
	if m.most == 0 {
		m.most = min(mostMilestones, ofWindows/float64(s.rate))
	}
	take, tooMuch := m.often()*m.passes, false
	switch {
	case m.some && take == 0 && m.batches < m.dead:
		return
	case take > 2*m.most: // of what comes in bursts a few windows may show too little
		m.most *= lessMilestones
		tooMuch = true
	case m.some:
		m.again = nextMilestones * m.batches
	}
	var share, self float64
	all := s.candidates()
	slices.SortFunc(all, func(a, b milestone) int { return cmp.Compare(b.share, a.share) })
	chosen := all[:0]
	for _, c := range all {
		if share+c.share <= m.most && self+c.self <= selfMilestones*m.most {
			chosen = append(chosen, c)
			share += c.share
			self += c.self
		}
	}
	if m.some && !tooMuch && share < moreMilestones*take {
		return
	}
	s.clearMilestones()
	m.dead = nextMilestones * m.batches
	for _, c := range chosen {
		rated[c.rated].milestone, gates[c.gate].milestone, m.some = true, true, true
		gates[c.gate].setThin(true)
		gates[c.gate].open()
	}
}

// candidates are the functions that can be milestones: they are neither passed so often that this would take much, nor do much themselves.
//
//go:norace
func (s *sampler) candidates() (all []milestone) {
	var net float64
	for i := range uintptr(layout.Paces) {
		net += float64(*headerWord(layout.OffWindowPaces + 16*i + 8))
	}
	told := float64(atomic.LoadUint64(headerWord(layout.OffWindowNet)))
	if net == 0 || told == 0 {
		return nil
	}
	passes := s.milestones.passes
	at := make([]int32, len(live))      // of gates, by the first index of their markers
	inner := make([]float64, len(live)) // what others behind them take, by the same
	for i := range gates {
		if k := loadWord(&gates[i].index)&layout.IndexMask - firstIndex; k < uint32(len(at)) {
			at[baseOf(k+firstIndex)-firstIndex] = int32(i) + 1
		}
	}
	got := func(r *sampledMarker) float64 { return net * (1 - float64(r.since.net)/told) }
	for i := range rated {
		r := &rated[i]
		m := live[r.index-firstIndex]
		t, place := findTable(m)
		if t == nil || r.over() || r.n == 0 {
			continue
		}
		gate := t.gate(place)
		if k := loadWord(&gate.index)&layout.IndexMask - firstIndex; gate != m && k < uint32(len(inner)) {
			inner[baseOf(k+firstIndex)-firstIndex] += r.n / got(r) * passes * closedPasses
		}
		c := milestone{rated: i, gate: int(at[baseOf(r.index)-firstIndex]) - 1}
		if gate == m && c.gate >= 0 && !r.closed && loadWord(&m.index)&^(layout.IndexMask|layout.IndexOff) == 0 {
			c.share, c.self = r.n/got(r)*passes, float64(fromNS(selfOf(r.index)))/got(r)
			all = append(all, c)
		}
	}
	most := mostOfMilestones * s.milestones.most
	return slices.DeleteFunc(all, func(c milestone) bool {
		return c.share+inner[baseOf(rated[c.rated].index)-firstIndex] > most || c.self > selfMilestones*most
	})
}

// selfOf is how long scopes recorded under an index took without those in them, or with them where that is not known, ns. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func selfOf(index uint32) (ns uint64) {
	for shard := range usedShards {
		if c := cellOf(shard, index); c != nil {
			if _, sum := c.totals(); hot.self {
				ns += c.self
			} else {
				ns += sum
			}
		}
	}
	return ns
}

// conclude takes in what has been recorded so far, which milestones tell more of, and has none any more. The caller holds the lock.
//
//go:norace
func (s *sampler) conclude() {
	s.milestones.end()
	s.takeOpen()
	s.add()
	s.clearMilestones()
}

// clearMilestones has no function be one any more. The caller holds the lock.
//
//go:norace
func (s *sampler) clearMilestones() {
	m := &s.milestones
	if !m.some {
		return
	}
	for i := range gates {
		if g := &gates[i]; g.milestone {
			g.milestone = false
			g.setThin(false)
			if !s.open {
				setBits(&g.Off, layout.OffByWindow)
			}
		}
	}
	for i := range rated {
		rated[i].milestone = false
	}
	if s.learned.marked {
		s.paces.settle(&scopePaces, s.learned.cost)
		s.ticking.settle(&tickPaces, s.learned.cost)
	}
	s.paces.beside, s.ticking.beside = [layout.Paces]marksIn{}, [layout.Paces]marksIn{} // others are to come
	m.some, m.under, m.n, m.ticks, m.passed, m.lasts, m.paces = false, false, 0, 0, 0, 0, [layout.Paces]marksIn{}
	s.learned.beside, s.learned.marked = besides{}, false
}
