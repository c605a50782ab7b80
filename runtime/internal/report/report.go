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
func Format(run *Run, rows []*Row) []byte {
	text := "markgen: " + run.App + ", pid " + lite.Uint(run.PID) + ", " + quotient(run.NS, 1) + ", clock " + run.Clock +
		", quantum " + duration(run.Quantum) + ", read " + duration(run.Read) + ", scope " + duration(run.Scope) + "\n"
	for _, note := range run.Notes {
		text += "markgen: " + note + "\n"
	}
	b := []byte(text)
	if run.NoTable {
		return b
	}
	lite.Sort(len(rows), func(i, j int) bool { return rows[i].Name < rows[j].Name },
		func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	const columns = 4
	cells := []string{"marker", "count", "total", "mean"}
	for _, r := range rows {
		total, mean := "-", "-"
		if r.Timed {
			total, mean = quotient(r.Total-min(r.Nested, r.Total), 1), quotient(r.Total, r.Count)
		}
		for _, s := range [columns]string{r.Name, lite.Uint(r.Count), total, mean} {
			cells = append(cells, s)
		}
	}
	var w [columns]int
	for i, s := range cells {
		w[i%columns] = max(w[i%columns], width(s))
	}
	for i, s := range cells {
		k := i % columns
		if k > 0 {
			b = appendSpaces(b, w[k]-width(s)+2)
		}
		b = append(b, s...)
		if k == 0 {
			b = appendSpaces(b, w[k]-width(s))
		}
		if k == columns-1 {
			b = append(b, '\n')
		}
	}
	if run.Lost > 0 {
		b = append(b, "not recorded, for lack of memory or on a thread's own stack: "+lite.Uint(run.Lost)+" scopes\n"...)
	}
	return b
}

// quotient returns ns/n as a duration; 0/0 is 0.
func quotient(ns, n uint64) string {
	if n == 0 {
		return duration(0)
	}
	hi, lo := bits.Mul64(ns, 1000)
	if hi >= n {
		return "-"
	}
	ps, _ := bits.Div64(hi, lo, n)
	return duration(ps)
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

// duration returns ps picoseconds with three significant digits or more and a unit: 1.23ns, 45.6µs,
// 789ms, 12.3s.
func duration(ps uint64) string {
	units := [...]string{"ps", "ns", "µs", "ms", "s"}
	u, scale := 0, uint64(1)
	for ; u < len(units)-1 && ps/scale >= 1000; u++ {
		scale *= 1000
	}
	text := lite.Uint(ps / scale)
	if digits := 3 - len(text); u > 0 && digits > 0 {
		part := lite.Uint(1000 + ps%scale/(scale/1000)) // a 1, and three decimals
		text += "." + part[1:1+digits]
	}
	return text + units[u]
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
