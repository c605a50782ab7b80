package runfile

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
)

// demotedBlock reads what was estimated of a marker that has been demoted.
func (r *run) demotedBlock(b block) error {
	const size = layout.NumBuckets * layout.DemotedSize
	data, err := r.content(b, layout.OffDemotedData+2*size)
	if err != nil {
		return err
	}
	word := r.order.Uint64
	index := word(data[layout.OffDemotedMarker:])
	if r.estimates[index] != nil {
		return r.damaged(b.offset, "a second block with what was estimated of marker number %d; it is left out", index)
	}
	buckets := func(data []byte) (list []profile.Bucket) {
		for k := range uint8(layout.NumBuckets) {
			at := int(k) * layout.DemotedSize
			if n := word(data[at+layout.DemotedCount:]); n > 0 {
				list = append(list, profile.Bucket{K: k, Count: n, SumNS: word(data[at+layout.DemotedSum:])})
			}
		}
		return list
	}
	r.estimates[index] = &estimate.Sample{
		Fine:        word(data[layout.OffDemotedFine:]) != 0,
		Scopes:      word(data[layout.OffDemotedScopes:]),
		SelfNS:      word(data[layout.OffDemotedSelf:]),
		TimedSelfNS: word(data[layout.OffDemotedTimedSelf:]),
		Buckets:     buckets(data[layout.OffDemotedData:][:size]),
		Timed:       buckets(data[layout.OffDemotedData+size:][:size]),
	}
	return nil
}

// A parent is a marker with scopes of another directly inside, and the number of these among the
// scopes whose parent was recorded.
type parent struct {
	marker uint64 // global index; layout.NoMarker if no scope was open
	count  uint64
}

func (r *run) parentBlock(b block) error {
	data, err := r.content(b, layout.OffParentsData+layout.MaxParents*layout.ParentSize)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffParentsMarker:])
	if r.parents[index] != nil {
		return r.damaged(b.offset, "a second block with the parents of marker number %d; it is left out", index)
	}
	for data = data[layout.OffParentsData:]; len(data) >= layout.ParentSize; data = data[layout.ParentSize:] {
		p := parent{r.order.Uint64(data[layout.ParentMarker:]), r.order.Uint64(data[layout.ParentCount:])}
		if p.count > 0 && p.count < 1<<40 {
			r.parents[index] = append(r.parents[index], p)
		}
	}
	return nil
}

// demote estimates the data of demoted markers and corrects self times, so that together they add
// up to the recorded time: scopes that were only counted ran inside timed ones, whose self time
// includes theirs. Those of fine markers are in the self times of other demoted markers, too.
func (r *run) demote() {
	number := r.numbering()
	list := r.demotedMarkers(number)
	if len(list) == 0 {
		return
	}
	parents := r.parentShares(number)
	includes := map[uint64]bool{} // by demoted marker: whether its self time includes counted scopes
	r.subtractCounted(list, false, parents, includes)
	for _, d := range list {
		includes[d.index] = !d.fine
	}
	r.subtractCounted(list, true, parents, includes)
	for _, d := range list {
		r.limitTotal(d, parents)
	}
}

// subtractCounted subtracts the self times of the counted scopes of demoted markers, fine or not,
// from the self times of the markers around that include them. If these are less, the estimates are
// too large by what timing a scope added to it, which is much the same for all of them. So each is
// reduced by the same time a scope, but to no less than leastPart of it: some are too large for other
// reasons, and no scope takes no time.
func (r *run) subtractCounted(list []demoted, fine bool, parents map[uint64][]parentShare, includes map[uint64]bool) {
	stops := func(index uint64) bool { return r.off[index] != profile.Demoted || includes[index] }
	within := map[uint64][]counted{} // by marker that includes them
	for _, d := range list {
		if d.fine != fine {
			continue
		}
		inside := map[uint64]float64{}
		r.around(d.index, 1, 0, parents, stops, inside)
		for index, part := range inside {
			scopes := part * float64(profile.Sub64(d.m.Count, d.m.Samples))
			within[index] = append(within[index], counted{d, scopes, part * float64(profile.Sub64(d.m.SelfNS, d.selfNS))})
		}
	}
	for _, index := range slices.Sorted(maps.Keys(within)) { // sorted, so that the same file gives the same sums
		m := r.totals.at(index)
		if m == nil || !stops(index) {
			continue
		}
		less, least := excess(within[index], float64(m.SelfNS))
		for _, c := range within[index] {
			over := min((1-least)*c.ns, less*c.scopes)
			m.SelfNS = profile.Sub64(m.SelfNS, uint64(c.ns-over+0.5))
			c.m.SelfNS = profile.Sub64(c.m.SelfNS, uint64(over+0.5))
		}
	}
}

// counted are the scopes of a demoted marker that were counted inside another marker.
type counted struct {
	demoted
	scopes float64
	ns     float64 // their self time, estimated
}

// leastPart is the part of an estimated self time that is left at least. If that of all together is
// still too much, each is reduced to the same part.
const leastPart = 0.2

// excess returns by how many ns a scope the self times of counted scopes must be reduced to add up to
// at most ns, and the part of each that is left at least.
func excess(list []counted, ns float64) (less, least float64) {
	sum := func(less float64) (sum float64) {
		for _, c := range list {
			sum += max(least*c.ns, c.ns-less*c.scopes)
		}
		return sum
	}
	all := sum(0)
	if all <= ns {
		return 0, 0
	}
	least = min(leastPart, ns/all)
	lo, hi := 0.0, 1.0
	for sum(hi) > ns && hi < 1e12 {
		lo, hi = hi, 2*hi
	}
	for range 50 {
		if mid := (lo + hi) / 2; sum(mid) > ns {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, least
}

// demoted is a demoted marker of a run.
type demoted struct {
	index  uint64 // global
	m      *profile.Marker
	selfNS uint64 // of the timed scopes
	fine   bool   // see estimate.Sample
}

// demotedMarkers adds the counts of code counters to all markers, and returns the demoted markers
// by index, with estimated times.
func (r *run) demotedMarkers(number func(uint64) uint64) (list []demoted) {
	samples := map[uint64]*estimate.Sample{}
	for _, from := range slices.Sorted(maps.Keys(r.estimates)) { // sorted: a damaged file may have two for a marker
		index := number(from)
		samples[index] = r.estimates[from]
		if r.off[index] == "" { // it is being timed again
			r.off[index] = profile.Demoted
		}
	}
	for number, t := range r.tables {
		counts := r.demotedCounts(number, t)
		for i := range t.Markers {
			index := t.first + uint64(i)
			m := r.totals.at(index)
			if m == nil {
				continue
			}
			if i < len(counts) {
				m.Count = profile.Add64(m.Count, counts[i])
			}
			if r.off[index] == profile.Demoted {
				d := demoted{index: index, m: m, selfNS: m.SelfNS}
				if s := samples[index]; s != nil {
					d.fine = s.Fine
				}
				estimate.Short(m, samples[index])
				list = append(list, d)
			}
		}
	}
	slices.SortFunc(list, func(a, b demoted) int { return cmp.Compare(a.index, b.index) })
	return list
}

// numbering returns a function that maps an index in the data to the marker's index in its table.
func (r *run) numbering() func(index uint64) uint64 {
	numbers := map[uint64]uint64{}
	for _, a := range r.aliases {
		numbers[a.from] = a.to
	}
	return func(index uint64) uint64 {
		if to, ok := numbers[index]; ok {
			return to
		}
		return index
	}
}

// A parentShare is the fraction of a marker's scopes that ran directly inside another.
type parentShare struct {
	marker uint64 // global index
	part   float64
}

// parentShares returns the parents of all markers for which they were recorded, by table index.
func (r *run) parentShares(number func(uint64) uint64) map[uint64][]parentShare {
	shares := map[uint64][]parentShare{}
	for _, index := range slices.Sorted(maps.Keys(r.parents)) {
		list, all := r.parents[index], 0.0
		for _, p := range list {
			all += float64(p.count)
		}
		for _, p := range list {
			shares[number(index)] = append(shares[number(index)], parentShare{number(p.marker), float64(p.count) / all})
		}
	}
	return shares
}

// limitTotal limits the total time of a demoted marker to that of the timed markers around. In
// recursion a scope whose outer ones were only counted looks like an outermost one, so the time that
// scopes inside others of the marker took is too small.
func (r *run) limitTotal(d demoted, parents map[uint64][]parentShare) {
	inside := map[uint64]float64{}
	r.around(d.index, 1, 0, parents, func(index uint64) bool { return r.off[index] != profile.Demoted }, inside)
	was, is := d.m.TotalNS(), max(r.totalOf(inside), d.m.SelfNS)
	switch {
	case is >= was:
	case d.m.NestedNS > 0:
		d.m.NestedNS = min(d.m.NestedNS+was-is, d.m.SumNS())
		d.m.SelfNS = min(d.m.SelfNS, d.m.TotalNS())
	default:
		estimate.Shorten(d.m, profile.Ratio(is, was))
	}
}

// totalOf returns the total time of the markers that are timed; the largest number if there are
// none, or that of one is unknown.
func (r *run) totalOf(markers map[uint64]float64) uint64 {
	sum, timed := uint64(0), false
	for index := range markers {
		m := r.totals.at(index)
		if m == nil { // layout.NoMarker, too
			return math.MaxUint64
		}
		if r.off[index] != profile.Demoted { // else it is where around gave up, in a recursion
			sum, timed = profile.Add64(sum, m.TotalNS()), true
		}
	}
	if !timed {
		return math.MaxUint64
	}
	return sum
}

// around adds to sums which fraction of a demoted marker's scopes ran inside which marker that stops
// the search, with any others in between. depth is the number of those so far.
func (r *run) around(index uint64, part float64, depth int, parents map[uint64][]parentShare, stops func(uint64) bool, sums map[uint64]float64) {
	const (
		deepest    = 32
		negligible = 1e-3
	)
	for _, p := range parents[index] {
		part := part * p.part
		if !stops(p.marker) && depth < deepest && part > negligible {
			r.around(p.marker, part, depth+1, parents, stops, sums)
		} else {
			sums[p.marker] += part
		}
	}
}
