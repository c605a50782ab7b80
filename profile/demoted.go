package profile

import (
	"maps"
	"math/big"
	"slices"

	layout "github.com/markgen/markgen/runtime"
)

// Demoted is Marker.Off of one that was timed until that told nothing more, and counted from then on.
const Demoted = "demoted"

// Demoted says that times of the marker are those of its first scopes, in at least one run, and estimates for the others: Count is exact.
func (m *Marker) Demoted() bool { return m.Off == Demoted }

// fromDemoted makes estimates of times where all scopes were counted and the first of them timed, before the marker was
// demoted (runtime/demote.go): the mean of those that were timed, times the count. The longest thousandth of those that
// were timed is added as it was. Most of these lost their processor, and not to the scope.
func (m *Marker) fromDemoted() {
	m.Off = Demoted
	count, timed := m.Count, m.Timed()
	if timed == 0 {
		return
	}
	k, long, longSum := len(m.Buckets), uint64(0), uint64(0)
	for k > 1 && long+m.Buckets[k-1].Count <= timed/layout.DemotedLong {
		k--
		long, longSum = long+m.Buckets[k].Count, add64(longSum, m.Buckets[k].SumNS)
	}
	tail := append([]Bucket(nil), m.Buckets[k:]...)
	sum := m.SumNS() - longSum
	self, nested, ticks := m.SelfNS, m.NestedNS, m.Ticks
	m.Buckets, m.Count = m.Buckets[:k:k], timed-long
	m.SelfNS, m.NestedNS = min(self, sum), min(nested, sum) // of the long ones it is not known what of it was their own
	m.Ticks = times(new(big.Int).SetUint64(ticks), ratio(sum, add64(sum, longSum)))
	self, nested, ticks = self-m.SelfNS, nested-m.NestedNS, ticks-m.Ticks
	meanVar := m.simpleVar()
	m.scale(ratio(count-long, timed-long))
	m.Buckets = append(m.Buckets, tail...)
	m.SelfNS, m.NestedNS, m.Ticks = add64(m.SelfNS, self), add64(m.NestedNS, nested), add64(m.Ticks, ticks)
	m.Count, m.seen, m.Samples = count, count, timed
	m.setMeanVar(meanVar)
}

// A parent is a marker that scopes of another were directly inside of, and of how many of those that were looked at that was so.
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
		return r.damaged(b.offset, "a second block of what marker number %d was inside of; it is left out", index)
	}
	for data = data[layout.OffParentsData:]; len(data) >= layout.ParentSize; data = data[layout.ParentSize:] {
		p := parent{r.order.Uint64(data[layout.ParentMarker:]), r.order.Uint64(data[layout.ParentCount:])}
		if p.count > 0 && p.count < 1<<40 {
			r.parents[index] = append(r.parents[index], p)
		}
	}
	return nil
}

// demote makes estimates of the markers that were demoted, and takes the self times of their scopes that were only counted off
// those of the scopes that these were inside of, and that were timed: there they were recorded. Where that is less than
// what is estimated, the estimates are that much too large, and become smaller. So self times add up to what was recorded.
func (r *run) demote() {
	names := map[uint64]uint64{} // the number in tables of what cells number so
	for _, a := range r.aliases {
		names[a.from] = a.to
	}
	number := func(index uint64) uint64 {
		if to, ok := names[index]; ok {
			return to
		}
		return index
	}
	inside := map[uint64][]parent{}
	for index, list := range r.parents {
		for _, p := range list {
			inside[number(index)] = append(inside[number(index)], parent{number(p.marker), p.count})
		}
	}
	timed := map[uint64]uint64{} // ns of self time of demoted markers, of the scopes that were timed
	for number, t := range r.tables {
		counts := r.demotedCounts(number, t)
		for i := range t.markers {
			index := t.first + uint64(i)
			m := r.cells.at(index)
			if m == nil {
				continue
			}
			if i < len(counts) {
				m.Count = add64(m.Count, counts[i])
			}
			if r.off[index] == Demoted {
				timed[index] = m.SelfNS
				m.fromDemoted()
			}
		}
	}
	// While a marker was timed others inside of it may have been demoted before, and what these took was its own. Totals know better.
	others := map[uint64]float64{} // ns of demoted ones that were directly inside of it
	for _, index := range slices.Sorted(maps.Keys(timed)) {
		all := 0.0
		for _, p := range inside[index] {
			if p.marker != index {
				all += float64(p.count)
			}
		}
		for _, p := range inside[index] {
			if p.marker != index {
				others[p.marker] += float64(r.cells.at(index).TotalNS()) * float64(p.count) / all
			}
		}
	}
	counted := map[uint64]uint64{} // ns of self time of demoted markers, of the scopes that were not timed
	for index, ns := range timed {
		m := r.cells.at(index)
		m.SelfNS = min(m.SelfNS, uint64(max(0, float64(m.TotalNS())-others[index])))
		counted[index] = sub64(m.SelfNS, ns)
	}
	// shares has which part of the scopes of a demoted marker were inside of which that was timed, directly or in others that were demoted.
	shares := func(index uint64) map[uint64]float64 {
		of := map[uint64]float64{}
		on := map[uint64]bool{} // the path that is followed: what is inside of itself is passed over
		var follow func(index uint64, part float64)
		follow = func(index uint64, part float64) {
			on[index] = true
			all := 0.0
			for _, p := range inside[index] {
				if !on[p.marker] {
					all += float64(p.count)
				}
			}
			for _, p := range inside[index] {
				if on[p.marker] {
					continue
				}
				part := part * float64(p.count) / all
				if _, demoted := counted[p.marker]; demoted && len(on) < mostDemoted && part > leastShare {
					follow(p.marker, part)
				} else {
					of[p.marker] += part
				}
			}
			delete(on, index)
		}
		follow(index, 1)
		return of
	}
	indexes := slices.Sorted(maps.Keys(counted)) // so that the same file gives the same sums
	parts := make([]map[uint64]float64, len(indexes))
	within := map[uint64]float64{} // by marker, ns
	for i, index := range indexes {
		parts[i] = shares(index)
		for _, a := range slices.Sorted(maps.Keys(parts[i])) {
			within[a] += parts[i][a] * float64(counted[index])
		}
	}
	fits := map[uint64]float64{} // which part of that there was
	for a, ns := range within {
		fits[a] = 1
		if m := r.cells.at(a); m != nil && ns > 0 {
			if _, demoted := counted[a]; !demoted {
				fits[a] = min(1, float64(m.SelfNS)/ns)
				m.SelfNS = sub64(m.SelfNS, uint64(ns*fits[a]))
			}
		}
	}
	for i, index := range indexes {
		less := 0.0
		for _, a := range slices.Sorted(maps.Keys(parts[i])) {
			less += parts[i][a] * (1 - fits[a])
		}
		m := r.cells.at(index)
		m.SelfNS = sub64(m.SelfNS, uint64(less*float64(counted[index])))
	}
}

// Scopes are followed through so many that were demoted, and while they are such a part of all.
const (
	mostDemoted = 32
	leastShare  = 1e-3
)
