//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/report"
	"github.com/markgen/markgen/runtime/internal/tabletext"
)

// formatReport returns the report that the program itself writes: what was recorded. Estimates are
// for readers of the data file.
//
//go:norace
func formatReport() []byte {
	lock()
	rows := gather()
	unlock()
	run := report.Of(headerWord)
	run.App, run.NoTable = app, hot.hooks&hookUntimed != 0
	if run.NoTable {
		run.Notes = append(run.Notes, "nothing was timed: markgen between FROM TO gives times from the data file")
	}
	if conf.windows() {
		run.Notes = append(run.Notes, "sampled: scopes outside of windows are missing here; markgen report estimates all from a data file (file=)")
	}
	return report.Format(&run, rows)
}

// gather adds up the shards for every named marker and counter. Other goroutines may be recording
// meanwhile. The caller holds the lock.
//
//go:norace
func gather() (rows []*report.Row) {
	all := make([]report.Row, nextNumber-firstNumber)
	rows = make([]*report.Row, 0, len(all))
	for k := range live {
		if number := live[k].number; number != 0 {
			addCells(&all[number-firstNumber], firstIndex+uint32(k))
		}
	}
	for k := range tables {
		t := &tables[k]
		m, c := 0, 0
		for line, rest := tabletext.Next(unpack(t.text)); line != ""; line, rest = tabletext.Next(rest) {
			switch line.Kind() {
			case tabletext.Marker:
				if m < t.markers {
					r := &all[t.first-firstNumber+uint32(m)]
					r.Name = line.Name()
					r.Timed = r.Total > 0 || !line.IsPoint() && !line.CountsOnly()
					rows = append(rows, r)
				}
				m++
			case tabletext.Counter:
				if hasCounters && c < t.n && t.counters != nil {
					rows = append(rows, &report.Row{Name: line.Name(), Count: t.countAt(uintptr(c))})
				}
				c++
			case tabletext.Block:
				c++
			}
		}
	}
	return rows
}

// addCells adds what was recorded under an index. Where one scope in N was timed, the times stand
// for all.
//
//go:norace
func addCells(r *report.Row, i uint32) {
	for shard := range usedShards {
		c := cellIn(shard, i)
		if c == nil {
			continue
		}
		n, sum := c.Timed()
		factor := 1.0
		if c.Seen > n && n > 0 {
			factor = float64(c.Seen) / float64(n)
		}
		r.Count += c.Passes + max(n, c.Seen)
		r.Total += uint64(float64(sum) * factor)
		r.Nested += uint64(float64(c.Nested) * factor)
	}
}
