//go:build !markgen_off

package runtime

import "sync/atomic"

// paced is how often something was passed in the batches of each of Paces. Recording takes time, so in a window the
// program does less than in as much time without. How much less differs from window to window, with what is passed there:
// what was passed in each counts for as many times as much as windows like it were longer than what recording left of them. For each
// window by itself that would be too much, as recording takes now a little more than was measured and now less.
type paced [Paces]float64

// weight is how many times as long the windows were in which that was passed as what recording left of them, by the
// words of the header that begin at paces, and that which says how long all were; 0: it was not passed in any. What
// opening took is known of all windows together only.
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
			weighted += k * lasted / max(lasted-float64(*headerWord(at + 8)), lasted/MostPace)
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
type prices struct{ scope, counting, cold estimate }

// ticks is what that makes, and unsure the square of its standard error.
//
//go:norace
func (p *spending) ticks(costs *prices) (ticks, unsure float64) {
	return p.scopes*costs.scope.v + p.counts*costs.counting.v + p.cold*costs.cold.v + p.rest,
		p.scopes*p.scopes*costs.scope.unsure + p.counts*p.counts*costs.counting.unsure + p.cold*p.cold*costs.cold.unsure
}

// spentIn is what recording took in the windows of each of Paces: what it cost is known the better the longer the run
// lasts, so the words of the header are worked out again each time.
type spentIn [Paces]spending

// leastNet is which part recording leaves of the windows of each of Paces at least, of the part that it leaves of windows where
// something is recorded: what a scope costs is not the same in all windows, and windows in which it was less have more
// scopes.
const leastNet = 0.6

// Where recording takes more than mostlyTaken of windows, but less than it does of others, it may be that what is passed there is less
// dense, or that all of it is slower for a while, what recording takes included.
const mostlyTaken = 0.5

// add adds a batch of windows of so many ticks, in which recording took so much, to the words of the header that begin at paces, says
// at unsure how far off the costs there may be, and tells which of Paces the batch is of and what recording cost in it, ticks. The
// caller holds the lock.
//
//go:norace
func (all *spentIn) add(paces, unsure uintptr, ticks uint64, spent spending, costs *prices) (pace int, cost uint64) {
	took, _ := spent.ticks(costs)
	cost = uint64(took)
	for pace < Paces-1 && 4*ticks >= PaceLimits[pace]*less(ticks, cost) {
		pace++
	}
	atomic.AddUint64(headerWord(paces+16*uintptr(pace)), ticks)
	all[pace].scopes += spent.scopes
	all[pace].counts += spent.counts
	all[pace].cold += spent.cold
	all[pace].rest += spent.rest
	var paid, net, most float64
	sum := spending{}
	for i := range all {
		k := &all[i]
		took, _ := k.ticks(costs)
		part := took / max(float64(*headerWord(paces + 16*uintptr(i))), 1)
		paid += took
		net += took * (1 - part)
		most = max(most, min(part, 1))
		sum.scopes += k.scopes
		sum.counts += k.counts
		sum.cold += k.cold
	}
	if paid == 0 {
		return pace, cost
	}
	var slower float64
	for i := range all {
		took, _ := all[i].ticks(costs)
		lasted := float64(*headerWord(paces + 16*uintptr(i)))
		atomic.StoreUint64(headerWord(paces+16*uintptr(i)+8), uint64(min(took, lasted*(1-max(net, 0)/paid*leastNet))))
		if took > mostlyTaken*lasted {
			slower += max(most*lasted-took, 0) / 2
		}
	}
	_, off := sum.ticks(costs)
	off += slower * slower
	atomic.StoreUint64(headerWord(unsure), max(1, uint64(off/(paid*paid)*UnsureUnit)))
	return pace, cost
}

// netOf is what recording that took so many ticks left of windows.
func netOf(lasted, cost uint64) uint64 { return max(less(lasted, cost), lasted/64) }

// lastedOf is how long the windows of a batch were the program's, ticks, if taken of it
// was not, which may be less than nothing by chance.
func lastedOf(open, taken uint64) uint64 {
	if int64(open-taken) < int64(open/64) {
		return open / 64
	}
	return open - taken
}
