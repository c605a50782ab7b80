// Package report formats the table that a marked program prints itself (report=): each marker with
// its count, total and mean, sorted by name.
//
//	os.Stderr.Write(report.Format(&run, rows))
package report

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A Run is the report's data about the run.
type Run struct {
	App                  string // the program's name
	PID                  uint64
	NS                   uint64   // duration of the run
	Clock                string   // tsc, cntvct or mono
	Quantum, Read, Scope uint64   // the clock's smallest step, the cost of reading it and of a scope, ps
	Notes                []string // lines before the table
	NoTable              bool     // nothing was timed or counted
	Lost                 uint64   // scopes that could not be recorded
}

// Of returns what the header of a data file, whose words are at the results of word, says about the
// run.
//
//go:norace
func Of(word func(off uintptr) *uint64) Run {
	run := Run{
		PID:     *word(layout.OffPID),
		NS:      *word(layout.OffEndMono) - *word(layout.OffStartMono),
		Clock:   "mono",
		Quantum: *word(layout.OffQuantum),
		Read:    *word(layout.OffRead),
		Scope:   *word(layout.OffScopeCost),
		Lost:    atomic.LoadUint64(word(layout.OffLost)),
	}
	switch *word(layout.OffClock) {
	case layout.ClockTSC:
		run.Clock = "tsc"
	case layout.ClockCNTVCT:
		run.Clock = "cntvct"
	}
	return run
}

// A Row is a line of the table: a marker, or a counter.
type Row struct {
	Name   string
	Count  uint64
	Total  uint64 // ns
	Nested uint64 // part of Total inside another scope of the marker, ns
	Timed  bool   // if false, the time columns are empty
}

// Format returns the text of the report. It sorts the rows.
func Format(run *Run, rows []Row) []byte {
	b := appendHead(nil, run)
	for _, note := range run.Notes {
		b = append(append(append(b, "markgen: "...), note...), '\n')
	}
	if run.NoTable {
		return b
	}
	lite.Sort(len(rows), func(i, j int) bool { return rows[i].Name < rows[j].Name },
		func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	table := [][4]string{{"marker", "count", "total", "mean"}}
	for _, r := range rows {
		line := [4]string{r.Name, string(lite.AppendUint(nil, r.Count)), "-", "-"}
		if r.Timed {
			line[2] = string(appendPS(nil, r.Total-min(r.Nested, r.Total), 1000, 1))
			line[3] = string(appendPS(nil, r.Total, 1000, r.Count))
		}
		table = append(table, line)
	}
	var w [4]int
	for _, line := range table {
		for i, s := range line {
			w[i] = max(w[i], width(s))
		}
	}
	for _, line := range table {
		b = append(b, line[0]...)
		b = appendSpaces(b, w[0]-width(line[0]))
		for i := 1; i < len(line); i++ {
			b = appendSpaces(b, 2+w[i]-width(line[i]))
			b = append(b, line[i]...)
		}
		b = append(b, '\n')
	}
	if run.Lost > 0 {
		b = lite.AppendUint(append(b, "not recorded, for lack of memory or on a thread's own stack: "...), run.Lost)
		b = append(b, " scopes\n"...)
	}
	return b
}

// appendHead appends the line about the run and its clock.
func appendHead(b []byte, run *Run) []byte {
	b = append(append(b, "markgen: "...), run.App...)
	b = lite.AppendUint(append(b, ", pid "...), run.PID)
	b = append(b, ", "...)
	b = appendPS(b, run.NS, 1000, 1)
	b = append(append(b, ", clock "...), run.Clock...)
	b = appendDuration(append(b, ", quantum "...), run.Quantum)
	b = appendDuration(append(b, ", read "...), run.Read)
	b = appendDuration(append(b, ", scope "...), run.Scope)
	return append(b, '\n')
}

// appendPS appends v*scale/n picoseconds as a duration; 0/0 is 0.
func appendPS(b []byte, v, scale, n uint64) []byte {
	if n == 0 {
		return appendDuration(b, 0)
	}
	hi, lo := bits.Mul64(v, scale)
	if hi >= n {
		return append(b, '-')
	}
	q, _ := bits.Div64(hi, lo, n)
	return appendDuration(b, q)
}

// appendSpaces appends n spaces.
//
//go:noinline
func appendSpaces(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

// appendDuration appends ps picoseconds with three significant digits or more
// and a unit: 1.23ns, 45.6µs, 789ms, 12.3s.
func appendDuration(b []byte, ps uint64) []byte {
	units := [...]string{"ps", "ns", "µs", "ms", "s"}
	u, scale := 0, uint64(1)
	for u < len(units)-1 && ps/scale >= 1000 {
		u++
		scale *= 1000
	}
	whole, part := ps/scale, ps%scale
	digits := 0
	switch {
	case u == 0:
	case whole < 10:
		digits = 2
	case whole < 100:
		digits = 1
	}
	b = lite.AppendUint(b, whole)
	if digits > 0 {
		b = append(b, '.')
		for range digits {
			scale /= 10
			b = append(b, '0'+byte(part/scale%10))
		}
	}
	return append(b, units[u]...)
}

// width returns the number of columns of s, one for each character.
//
//go:noinline
func width(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}
