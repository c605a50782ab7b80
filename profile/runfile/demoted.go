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
		EarlyNS:     word(data[layout.OffDemotedEarly:]),
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
// includes theirs.
func (r *run) demote() {
	number := r.numbering()
	list := r.demotedMarkers(number)
	if len(list) == 0 {
		return
	}
	parents := r.parentShares(number)
	r.limitSelf(list, parents)

	inside := make([]map[uint64]float64, len(list)) // by demoted marker: the fraction of its scopes inside each timed marker
	within := map[uint64]float64{}                  // by timed marker: self time of the counted scopes inside, ns
	for i, d := range list {
		inside[i] = map[uint64]float64{}
		r.timedAround(d.index, 1, 0, parents, inside[i])
		for _, around := range slices.Sorted(maps.Keys(inside[i])) { // sorted, so that the same file gives the same sums
			within[around] += inside[i][around] * float64(d.countedNS())
		}
	}
	excess := map[uint64]float64{} // by timed marker: the part of within that exceeds its self time
	for around, ns := range within {
		if m := r.totals.at(around); m != nil && r.off[around] != profile.Demoted && ns > 0 {
			fits := min(1, float64(m.SelfNS)/ns)
			m.SelfNS = profile.Sub64(m.SelfNS, uint64(ns*fits))
			excess[around] = 1 - fits
		}
	}
	for i, d := range list {
		over := 0.0
		for _, around := range slices.Sorted(maps.Keys(inside[i])) {
			over += inside[i][around] * excess[around]
		}
		d.m.SelfNS = profile.Sub64(d.m.SelfNS, uint64(over*float64(d.countedNS())))
	}
	r.limitTotals(list, parents, inside)
}

// demoted is a demoted marker of a run.
type demoted struct {
	index  uint64 // global
	m      *profile.Marker
	selfNS uint64 // of the timed scopes
	alone  bool   // see estimate.Short
	early  uint64 // total time before the first demotion, ns, if alone

	insideNS float64 // estimated total time of scopes inside that were timed together with these
}

// countedNS returns the estimated self time of the scopes that were only counted.
func (d demoted) countedNS() uint64 { return profile.Sub64(d.m.SelfNS, d.selfNS) }

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
				if d.alone = estimate.Short(m, samples[index]); d.alone {
					d.early = samples[index].EarlyNS
				}
				d.insideNS = float64(profile.Sub64(m.TotalNS(), m.SelfNS))
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

// limitSelf corrects the self times of demoted markers for other demoted markers directly inside.
// From markers that were timed alone it subtracts the time inside after the demotion; it limits the
// self time of others to their total minus the time inside, because the markers inside may have
// been demoted first, and then their time is in the self time of the one that was still timed.
//
// The time inside short scopes is less than was timed: Clock.InsideNS, already subtracted, is the
// part of a clock reading inside a scope that is long enough for the processor to overlap the
// reading with other work. In a short scope that part is a full reading.
func (r *run) limitSelf(list []demoted, parents map[uint64][]parentShare) {
	short := max(0, r.Clock.ReadNS-r.Clock.InsideNS)
	took, inside, later := map[uint64]float64{}, map[uint64]float64{}, map[uint64]float64{} // ns
	for _, d := range list {
		took[d.index] = float64(d.m.TotalNS())
		if d.alone {
			took[d.index] = max(0, took[d.index]-short*float64(d.m.Count))
		}
		for _, p := range parents[d.index] {
			inside[p.marker] += p.part * took[d.index]
			later[p.marker] += p.part * max(0, took[d.index]-float64(d.early))
		}
	}
	for _, d := range list {
		total, self := float64(d.m.TotalNS()), float64(d.m.SelfNS)
		if d.alone {
			self -= total - took[d.index] + later[d.index]
		} else {
			self = min(self, total-inside[d.index])
		}
		d.m.SelfNS = uint64(max(0, self))
	}
}

// limitTotals limits the total time of a demoted marker to its self time, which demote has
// corrected, and the time of what ran inside: scopes still timed, and demoted ones. Without it, the
// loop below, whose first 10,000 iterations take most of its time, would have a total of 2.7 s in a
// run of 0.6 s.
//
//	for i := 2; i <= 5_000_000; i++ {
//		if !composite[i] {
//			for j := i * i; j <= 5_000_000; j += i {
//
// Nor is it more than that of the timed markers around, inside, for each demoted marker. In
// recursion a scope whose outer ones were only counted looks like an outermost one, so the time
// that scopes inside others of the marker took is too small.
func (r *run) limitTotals(list []demoted, parents map[uint64][]parentShare, inside []map[uint64]float64) {
	type child struct {
		d    *demoted
		part float64
	}
	children, estimated := map[uint64][]child{}, map[uint64]float64{}
	for i := range list {
		d := &list[i]
		estimated[d.index] = float64(d.m.TotalNS())
		for _, p := range parents[d.index] {
			children[p.marker] = append(children[p.marker], child{d, p.part})
		}
	}
	totals := map[uint64]float64{}
	var total func(d *demoted) float64
	total = func(d *demoted) float64 {
		if t, ok := totals[d.index]; ok {
			return t
		}
		totals[d.index] = estimated[d.index] // for scopes inside that contain this marker again
		sum, timed := float64(d.m.SelfNS), d.insideNS
		for _, c := range children[d.index] {
			sum += c.part * total(c.d)
			if !d.alone {
				timed -= c.part * estimated[c.d.index]
			}
		}
		totals[d.index] = min(estimated[d.index], sum+max(0, timed))
		return totals[d.index]
	}
	for i := range list {
		d := &list[i]
		was, is := d.m.TotalNS(), min(uint64(total(d)), r.totalOf(inside[i]))
		switch {
		case is >= was:
		case d.m.NestedNS > 0:
			d.m.NestedNS = min(d.m.NestedNS+was-is, d.m.SumNS())
			d.m.SelfNS = min(d.m.SelfNS, d.m.TotalNS())
		default:
			estimate.Shorten(d.m, profile.Ratio(is, was))
		}
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
		if r.off[index] != profile.Demoted { // else it is where timedAround gave up, in a recursion
			sum, timed = profile.Add64(sum, m.TotalNS()), true
		}
	}
	if !timed {
		return math.MaxUint64
	}
	return sum
}

// timedAround adds to sums which fraction of a demoted marker's scopes ran inside which timed
// marker, with any demoted ones in between. depth is the number of those so far.
func (r *run) timedAround(index uint64, part float64, depth int, parents map[uint64][]parentShare, sums map[uint64]float64) {
	const (
		deepest    = 32
		negligible = 1e-3
	)
	for _, p := range parents[index] {
		part := part * p.part
		if r.off[p.marker] == profile.Demoted && depth < deepest && part > negligible {
			r.timedAround(p.marker, part, depth+1, parents, sums)
		} else {
			sums[p.marker] += part
		}
	}
}
