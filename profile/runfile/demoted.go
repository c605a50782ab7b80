package runfile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
)

// demotedBlock reads what had been timed of a marker when it was first demoted.
func (r *run) demotedBlock(b block) error {
	data, err := r.content(b, layout.OffDemotedData+layout.NumBuckets*layout.DemotedSize)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffDemotedMarker:])
	if r.early[index] != nil {
		return r.damaged(b.offset, "a second block with what was timed early of marker number %d; it is left out", index)
	}
	m := &profile.Marker{SelfNS: r.order.Uint64(data[layout.OffDemotedSelf:])}
	for k := range uint8(layout.NumBuckets) {
		at := layout.OffDemotedData + int(k)*layout.DemotedSize
		if n := r.order.Uint64(data[at+layout.DemotedCount:]); n > 0 {
			m.Buckets = append(m.Buckets, profile.Bucket{K: k, Count: n, SumNS: r.order.Uint64(data[at+layout.DemotedSum:])})
		}
	}
	r.early[index] = m
	return nil
}

// A parent is a marker that scopes of another were directly inside, and of how many of those that
// were looked at that was so.
type parent struct {
	marker uint64 // global index; layout.NoMarker: no scope was open
	count  uint64
}

func (r *run) parentBlock(b block) error {
	data, err := r.content(b, layout.OffParentsData+layout.MostParents*layout.ParentSize)
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

// demote makes estimates of the figures of demoted markers. Their self times are made to add up,
// with those of the others, to what was recorded: scopes that were only counted ran inside others
// that were timed, and their time is in the self time of these.
func (r *run) demote() {
	number := r.numbering()
	list := r.demotedMarkers(number)
	if len(list) == 0 {
		return
	}
	parents := r.parentShares(number)
	r.limitSelf(list, parents)

	inside := make([]map[uint64]float64, len(list)) // of each, which part of its scopes was inside which timed marker
	within := map[uint64]float64{}                  // by timed marker, ns of self time of the counted scopes inside it
	for i, d := range list {
		inside[i] = map[uint64]float64{}
		r.timedAround(d.index, 1, 0, parents, inside[i])
		for _, around := range slices.Sorted(maps.Keys(inside[i])) { // in order, so that the same file gives the same sums
			within[around] += inside[i][around] * float64(d.countedNS())
		}
	}
	excess := map[uint64]float64{} // by timed marker, the part of that for which it has no self time
	for around, ns := range within {
		if m := r.cells.at(around); m != nil && r.off[around] != profile.Demoted && ns > 0 {
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
}

// A demoted marker of a run.
type demoted struct {
	index  uint64 // global
	m      *profile.Marker
	selfNS uint64 // of the scopes that were timed
	alone  bool   // as estimate.Short says
	early  uint64 // ns that scopes took before it was first demoted, if alone
}

// countedNS is the self time of the scopes that were only counted, estimated.
func (d demoted) countedNS() uint64 { return profile.Sub64(d.m.SelfNS, d.selfNS) }

// demotedMarkers adds what was counted in the code to the counts of all markers, and returns those
// that are demoted, by index, with estimates for figures.
func (r *run) demotedMarkers(number func(uint64) uint64) (list []demoted) {
	early := map[uint64]*profile.Marker{}
	for _, from := range slices.Sorted(maps.Keys(r.early)) { // in order, as a damaged file may have two for a marker
		index := number(from)
		early[index] = r.early[from]
		if r.off[index] == "" { // it is being timed again
			r.off[index] = profile.Demoted
		}
	}
	for number, t := range r.tables {
		counts := r.demotedCounts(number, t)
		for i := range t.Markers {
			index := t.first + uint64(i)
			m := r.cells.at(index)
			if m == nil {
				continue
			}
			if i < len(counts) {
				m.Count = profile.Add64(m.Count, counts[i])
			}
			if r.off[index] == profile.Demoted {
				d := demoted{index: index, m: m, selfNS: m.SelfNS}
				if d.alone = estimate.Short(m, early[index]); d.alone {
					d.early = early[index].SumNS()
				}
				list = append(list, d)
			}
		}
	}
	slices.SortFunc(list, func(a, b demoted) int { return cmp.Compare(a.index, b.index) })
	return list
}

// numbering gives the index that a table gives a marker, for any that it has in the data.
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

// A parentShare is the part of a marker's scopes that were directly inside another.
type parentShare struct {
	marker uint64 // global index
	part   float64
}

// parentShares are those of all markers of which parents were noted, by the indexes that tables give them.
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

// limitSelf takes what the demoted markers directly inside took after they were demoted off the self times of
// demoted ones that were timed alone, and limits those of the others to their total less what is inside: the
// ones inside may have been demoted first, and while the marker was still timed what they took was in its
// self time.
//
// What short scopes took is less than was timed: Clock.InsideNS, which has been taken off, is what is inside
// of a scope that is long enough for the processor to read the clock meanwhile. In a short one it is the
// time of a reading.
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

// timedAround adds to sums which part of the scopes of a demoted marker was inside which marker that was
// timed, however many demoted ones are between them. depth is how many there have been.
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
