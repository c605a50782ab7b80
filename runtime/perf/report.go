//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/report"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// A row is a report.Row while it is being added up.
type row struct {
	report.Row
	seen, timed uint64 // scopes that were counted, and those of them that were timed
	estimated   bool   // the values are estimates from a sample
}

// formatReport returns the report that the program itself writes.
//
//go:norace
func formatReport() []byte {
	lock()
	rows, estimated := gather()
	unlock()
	run := report.Of(headerWord)
	run.App, run.NoTable = app, hot.hooks&hookUntimed != 0
	switch {
	case estimated && conf.windows():
		run.Notes = append(run.Notes, "markgen: sampled 1:"+string(lite.AppendUint(nil, rate()))+", counts and times are estimates")
	case estimated:
		run.Notes = append(run.Notes, "markgen: times are estimates where a countdown chose the scopes that were timed; counts are exact")
	}
	if hot.hooks&hookTrace != 0 {
		run.Notes = append(run.Notes, aboutTrace())
	}
	return report.Format(&run, rows)
}

// gather adds up the shards for every named marker and counter, and says whether some values are
// estimates. Other goroutines may be recording meanwhile. The caller holds the lock.
//
//go:norace
func gather() (rows []report.Row, estimated bool) {
	index := map[uint32][]uint32{} // by number
	for i, number := range numbers {
		index[number] = append(index[number], firstIndex+uint32(i))
	}
	for k := range tables {
		t := &tables[k]
		m, c := 0, 0
		for line, rest := tabletext.Next(unpack(t.text)); line != ""; line, rest = tabletext.Next(rest) {
			switch line.Kind() {
			case tabletext.Marker:
				if m < t.markers {
					var r row
					for _, i := range index[t.first+uint32(m)] {
						r.add(i)
					}
					r.Name = line.Name()
					r.Timed = r.Total > 0 || !line.IsPoint() && !line.CountsOnly()
					rows = append(rows, r.Row)
					estimated = estimated || r.estimated
				}
				m++
			case tabletext.Counter:
				if c < t.n && t.counters != nil {
					n := atomic.LoadUint64((*uint64)(unsafe.Add(t.counters, 8*uintptr(c))))
					for _, own := range t.own {
						n += atomic.LoadUint64(own.counter(uintptr(c)))
					}
					rows = append(rows, report.Row{Name: line.Name(), Count: n})
				}
				c++
			case tabletext.Block:
				c++
			}
		}
	}
	return rows, estimated
}

// add adds what was recorded under an index. It scales a sample up to an estimate.
//
//go:norace
func (r *row) add(index uint32) {
	var part row
	part.addCells(index)
	factor := float64(part.seen) / float64(max(part.timed, 1)) // with a countdown
	if hasRate(index) {
		factor = factorOf(index)
	}
	if factor == 0 {
		factor = 1
	} else {
		r.estimated = true
	}
	r.Count += scaled(part.Count, factor)
	r.Total += scaled(part.Total, factor)
	r.Nested += scaled(part.Nested, factor)
}

func scaled(n uint64, factor float64) uint64 {
	if factor == 1 {
		return n // exactly
	}
	return uint64(float64(n)*factor + 0.5)
}

// factorOf returns the factor that scales up what was recorded under an index; 0 if no window has
// recorded anything.
//
//go:norace
func factorOf(index uint32) float64 {
	for _, r := range rated {
		if r.index == index && r.Recorded() != 0 {
			return r.since.estimate(r.Stands()) / r.Recorded()
		}
	}
	return 0
}

// estimate returns the estimated number of executions since the baseline, of which x is the part in
// the time that windows stand for (see sample.Sums).
//
//go:norace
func (b *baseline) estimate(x float64) float64 {
	of := subtract(subtract(*headerWord(layout.OffProfiled), b.profiled), subtract(*headerWord(layout.OffWindowTaken), b.taken))
	return x * float64(of) / float64(max(subtract(*headerWord(layout.OffWindowStands), b.stands), 1))
}

//go:norace
func (r *row) addCells(i uint32) {
	for shard := range usedShards {
		if c := cellIn(shard, i); c != nil {
			timed, sum := c.Timed()
			r.Count += c.Passes + timed
			r.seen += c.Seen
			r.timed += timed
			r.Total += sum
			r.Nested += c.Nested
		}
	}
}
