package profile

import "github.com/markgen/markgen/runtime/layout"

// An onlyRun says that Go's runtime calls a function once and nothing else calls it, as an init function, or func main
// but in a test. What windows show of calls says nothing of these.
type onlyRun struct{ init, main bool }

// onlyCall is what is known of the only call of a function, for a marker in it that is sampled.
type onlyCall struct {
	known bool
	own   bool   // the marker is the function's own: there is no other passage
	ns    uint64 // how long the call took; 0: it has not ended
}

// mainPart is the least part of a run that func main runs for, unless a test calls it, which has other things to do. What is
// built for its tests from marked source is told by that; where a build marks for tests, tables do not say that it is func main.
const mainPart = 0.9

// beforeMain is how long a program may take besides func main, ns, if that is the longer part: in a short run 0.9 would be too much.
const beforeMain = 5e6

// isMain says whether a call of func main that lasted for ns of a run is that of Go's runtime.
func isMain(ns, elapsed uint64) bool {
	return float64(ns) > mainPart*float64(elapsed) || ns > elapsed/2 && elapsed-ns < beforeMain
}

// sinceBegun is how long the run lasted from when it began to be collected, which a busy machine may let it wait for. One that was
// told to begin later is as long as it is: func main may have been called before.
func (r *run) sinceBegun() uint64 {
	for _, c := range r.changes {
		if c.To == stateName(layout.StateProfiling) && c.Cause == causes[layout.LogBegin] {
			return r.ElapsedNS - min(c.AtNS, r.ElapsedNS)
		}
	}
	return r.ElapsedNS
}

// onlyCalls gives the only calls of functions, by the indexes of the sampled markers in them.
func (r *run) onlyCalls(sampled map[uint64]uint64, exact map[uint64][]*Marker) map[uint64]onlyCall {
	calls := map[uint64]onlyCall{}
	for _, t := range r.tables {
		for i, once := range t.once {
			gate := t.gates[i]
			index, ok := sampled[t.first+uint64(i)]
			if !ok || !once.init && !once.main || gate < 0 || gate >= len(t.markers) || t.markers[gate] == nil || t.markers[gate].Kind != "func" {
				continue
			}
			function := t.first + uint64(gate)
			var ended, ticks uint64
			for _, m := range exact[function] {
				ended, ticks = ended+m.Timed(), ticks+m.Ticks
			}
			c := onlyCall{known: true, own: gate == i}
			if ended > 0 {
				c.ns = max(1, duration(0, ticks, r.Clock.Hz))
				c.known = ended == 1 && (once.init || isMain(c.ns, r.sinceBegun()))
			}
			calls[index] = c
		}
	}
	return calls
}

// goOn has the estimate of a marker in a function whose only call has ended go by how long that took, if no window showed anything.
func (s *windows) goOn(c onlyCall) {
	if c.known && c.ns != 0 && s.blind {
		s.ended, s.OfNS = true, min(s.OfNS, c.ns)
	}
}

// exact gives, by the markers' numbers, the figures of what was recorded before a marker was sampled.
func (r *run) exact() map[uint64][]*Marker {
	before := map[uint64][]*Marker{}
	for _, a := range r.aliases {
		if _, ok := r.samples[a.from]; !ok {
			if m := r.cells.at(a.from); m != nil {
				before[a.to] = append(before[a.to], m)
			}
		}
	}
	for _, t := range r.tables {
		for number := t.first; number < t.first+uint64(len(t.markers)); number++ {
			if m := r.cells.at(number); m != nil {
				before[number] = append(before[number], m)
			}
		}
	}
	return before
}

// sampledIndexes are the indexes of the markers that were sampled, by their numbers.
func (r *run) sampledIndexes() map[uint64]uint64 {
	indexes := map[uint64]uint64{}
	for _, a := range r.aliases {
		if _, ok := r.samples[a.from]; ok {
			indexes[a.to] = a.from
		}
	}
	return indexes
}
