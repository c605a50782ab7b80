//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// paced is how often something was passed in the windows of each of Paces. While recording takes more of windows the program gets on less
// far in them, so what was passed in each counts for as many times as much as they were to last longer than the program got on.
type paced [layout.Paces]float64

// weight is how many times as long windows were as the program got on in those in which that was passed, by the
// words of the header that begin at paces, and that which says how long all were; 0: it was not passed in any.
//
//go:norace
func (p *paced) weight(paces, open uintptr) float64 {
	var all uint64
	for i := range p {
		all += *headerWord(paces + 16*uintptr(i))
	}
	var n, weighted float64
	for i, k := range p {
		at := paces + 16*uintptr(i)
		lasted := float64(*headerWord(at)) * float64(*headerWord(open)) / float64(max(all, 1))
		if k != 0 && lasted != 0 {
			n += k
			weighted += k * lasted / max(float64(*headerWord(at + 8)), lasted/layout.MostPace)
		}
	}
	if n == 0 {
		return 0
	}
	return weighted / n
}

// spending is what recording took in windows: scopes, counts, and of the rest ticks, each by how many processors passed something
// at the same time; and first passages of markers in a window, after which processors get under way at the same time.
type spending struct{ scopes, counts, cold, rest float64 }

// prices are what these cost, ticks each.
type prices struct {
	scope, counting, cold estimate
	marked                bool // milestones tell how far the program gets on
}

// ticks is what that makes, and unsure the square of its standard error.
//
//go:norace
func (p *spending) ticks(costs *prices) (ticks, unsure float64) {
	return p.scopes*costs.scope.v + p.counts*costs.counting.v + p.cold*costs.cold.v + p.rest,
		p.scopes*p.scopes*costs.scope.unsure + p.counts*p.counts*costs.counting.unsure + p.cold*p.cold*costs.cold.unsure
}

// add adds up more of it.
//
//go:norace
func (p *spending) add(more *spending) {
	p.scopes += more.scopes
	p.counts += more.counts
	p.cold += more.cold
	p.rest += more.rest
}

// over is that in windows in which so many processors pass something at the same time.
//
//go:norace
func (p spending) over(processors float64) spending {
	return spending{p.scopes / processors, p.counts / processors, p.cold, p.rest / processors}
}

// gotOn is how far the program has got on in windows: in most as far as they were made long enough for, by what was known, all together need ticks, in those
// that could not be made long enough as far as recording left of what they lasted.
type gotOn struct {
	need    float64
	long    lasting  // windows that were long enough
	short   lasting  // windows that were not
	besides spending // what else took some of all of them
	after   lasting  // for how long counters counted after them
}

// lasting is how long windows lasted, ticks, and what was recorded in them.
type lasting struct {
	ticks float64
	spent spending
}

// add adds up more windows.
//
//go:norace
func (l *lasting) add(more *lasting) {
	l.ticks += more.ticks
	l.spent.add(&more.spent)
}

// left is what recording left of them, ticks.
//
//go:norace
func (l *lasting) left(costs *prices) float64 {
	spent, _ := l.spent.ticks(costs)
	return l.ticks - spent
}

// over is what has been recorded by so many processors at the same time.
//
//go:norace
func (g *gotOn) over(processors float64) gotOn {
	sum := *g
	sum.long.spent, sum.short.spent = g.long.spent.over(processors), g.short.spent.over(processors)
	return sum
}

// add adds up more of it.
//
//go:norace
func (g *gotOn) add(more *gotOn) {
	g.need += more.need
	g.long.add(&more.long)
	g.short.add(&more.short)
	g.besides.add(&more.besides)
	g.after.add(&more.after)
}

// What is known later of the costs changes how far the program is taken to have got on by no more than mostChange times, for what it did in a window before
// anything was recorded it did in all of them; nor does what else took some of windows take more than leastBesides leaves, of which little is known.
const (
	mostChange   = 2
	leastBesides = 0.5
)

// ticks is how far that is in windows, and afterwards how far after them.
//
//go:norace
func (g *gotOn) ticks(costs *prices) uint64 {
	got := max(g.long.left(costs), g.long.ticks/layout.MostPace)
	if !costs.marked {
		got = min(max(got, g.need/mostChange), g.need*mostChange)
	}
	got += max(g.short.left(costs), g.short.ticks/layout.MostPace)
	besides, _ := g.besides.ticks(costs)
	return uint64(max(got-besides, got*leastBesides))
}

//go:norace
func (g *gotOn) afterwards(costs *prices) uint64 {
	return uint64(max(g.after.left(costs), g.after.ticks/layout.MostPace))
}

// planned is how far it was to be in windows by what was known then, ticks.
//
//go:norace
func (g *gotOn) planned(costs *prices) float64 {
	return g.need + max(g.short.left(costs), g.short.ticks/layout.MostPace)
}

// spentIn is how far the program has got on in the windows of each of Paces, and what recording has taken in all of them: what it costs is known
// the better the longer the run lasts, so the words of the header are worked out again each time.
type spentIn struct {
	got     [layout.Paces]gotOn
	settled [layout.Paces]float64 // how far it has got on besides, ticks, in windows of which nothing more will be known
	planned [layout.Paces]float64 // how long windows were to last that got is of, ticks
	beside  [layout.Paces]marksIn // of milestones in those of them that had any, by how long these were to last
	all     spending
	since   spending // since it was settled
	unsure  float64  // the square of the standard error of settled, ticks²

	// What was passed or counted that says which windows are usual, and the sum over that of how many times as long they were as the program got on.
	usual, with float64
}

// settle has windows until now count as they do by what is known now. The caller holds the lock.
//
//go:norace
func (s *spentIn) settle(words *paceWords, costs estimate) {
	s.unsure += s.since.scopes * s.since.scopes * costs.unsure
	s.since = spending{}
	for i := range s.got {
		s.settled[i] = float64(atomic.LoadUint64(headerWord(words.paces + 16*uintptr(i) + 8)))
		s.got[i], s.planned[i] = gotOn{}, 0
	}
}

// paceWords are where the header tells of windows of each of Paces, and how far off that may be.
type paceWords struct{ paces, unsure, told, with uintptr }

var (
	scopePaces = paceWords{layout.OffWindowPaces, layout.OffWindowUnsure, layout.OffWindowTold, layout.OffWindowWith}
	tickPaces  = paceWords{layout.OffTickPaces, layout.OffTickUnsure, layout.OffTickTold, layout.OffTickWith}
)

// shown is what the windows of a batch have shown: how far the program got on in them, how many milestones it passed, and what says which windows
// are usual, these or what was counted; how many ticks they lasted, and what recording took of them.
type shown struct {
	got          gotOn
	marks, usual float64
	lasted       uint64
	spent        spending
}

// tellPaces adds a batch to words of the header. It gives how far the program got on in it, ticks, and how many times as long it lasted: of a single
// batch what recording costs on average may leave nothing, so that is by how far it was to get on, where milestones tell how far it got on in all. The
// caller holds the lock.
//
//go:norace
func (s *sampler) tellPaces(in *spentIn, words *paceWords, b *shown, costs *prices) (net uint64, slower float64) {
	pace := s.progress.pace
	atomic.AddUint64(headerWord(words.paces+16*uintptr(pace)), s.planned)
	in.got[pace].add(&b.got)
	in.planned[pace] += float64(s.planned)
	if s.milestones.some {
		in.beside[pace].add(b.marks, float64(s.planned), b.marks*b.marks)
	}
	in.all.add(&b.spent)
	in.since.add(&b.spent)
	net = b.got.ticks(costs)
	var sum gotOn
	var each, all uint64
	for i := range in.got {
		sum.add(&in.got[i])
		each += in.got[i].ticks(costs)
	}
	if words == &scopePaces {
		s.turned = s.turns.share(float64(toNS(profiledTicks())), float64(each)/max(sum.long.ticks+sum.short.ticks, 1))
		atomic.StoreUint64(headerWord(layout.OffTurnsShare), inUnits(s.turned.part()))
	}
	part := 1.0
	if costs.marked { // milestones tell how far it is in all of them, which may be less than nothing in some, by what recording costs on average
		part = float64(sum.ticks(costs)) / float64(max(each, 1))
	}
	for i := range in.got {
		got := part * float64(in.got[i].ticks(costs))
		if lasted := in.got[i].long.ticks + in.got[i].short.ticks; got != 0 {
			got = min(got*s.milestones.tell(i, &in.beside[i], got*in.beside[i].ticks/in.planned[i], lasted/got-1, s.turned), lasted)
		}
		if i == pace && costs.marked {
			net = uint64(b.got.planned(costs) * got / max(in.got[i].planned(costs), 1))
		}
		ticks := uint64(in.settled[i]+got) + in.got[i].afterwards(costs)
		atomic.StoreUint64(headerWord(words.paces+16*uintptr(i)+8), ticks)
		all += ticks
	}
	net += b.got.afterwards(costs)
	slower = max(float64(b.lasted)/float64(max(net, 1)), 1)
	in.tellUnsure(words, b.usual, slower, float64(all), costs)
	return net, slower
}

// tellUnsure says how far off that may be in the words of the header, of all windows in which the program got on so many ticks. The caller holds the lock.
//
//go:norace
func (s *spentIn) tellUnsure(words *paceWords, usual, slower, all float64, costs *prices) {
	paid, off := s.all.ticks(costs)
	told := 0.0
	if costs.marked { // whatever the rest has cost, it is in what a scope is said to cost
		told = (s.since.scopes*s.since.scopes*costs.scope.unsure + s.unsure) / (all * all)
		off = uneven * uneven * paid * paid
		s.usual += usual
		s.with += usual * slower
	}
	atomic.StoreUint64(headerWord(words.told), inUnits(told))
	if s.usual != 0 {
		atomic.StoreUint64(headerWord(words.with), inUnits(s.with/s.usual))
	}
	if paid != 0 {
		atomic.StoreUint64(headerWord(words.unsure), inUnits(off/(paid*paid)))
	}
}

// uneven is how much more or less scopes may cost in the windows that a marker was passed in than in all, as a part.
const uneven = 0.1

// inUnits is a figure in units of the header, and 0 for no other.
func inUnits(v float64) uint64 {
	if v == 0 {
		return 0
	}
	return max(1, uint64(v*layout.UnsureUnit))
}

// lastedOf is how long the windows of a batch were the program's, ticks, if taken of it
// was not, which may be less than nothing by chance.
func lastedOf(open, taken uint64) uint64 {
	if int64(open-taken) < int64(open/64) {
		return open / 64
	}
	return open - taken
}
