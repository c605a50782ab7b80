package wild

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// A History has the results of earlier runs: the file of known=.
type History struct{ runs, conflicts entries }

// entries are sorted, as less orders them.
type entries []entry

// An entry is a function, a == b, and the number of runs that measured it, or two functions that
// were open on one stack, with the smaller ID first.
type entry struct{ a, b, runs uint64 }

func (e *entry) less(f *entry) bool { return e.a < f.a || e.a == f.a && e.b < f.b }

// maxRuns is the largest number of runs that is kept; a larger one counts as maxRuns.
const maxRuns = 1<<24 - 1

// Parse parses a history. It has a line
//
//	ID RUNS
//
// for each function that was measured, with the number of runs, and a line
//
//	ID conflicts ID ID …
//
// for a function that was open on one stack with others, so that its time includes the cost of
// their markers. One line per pair is enough. problem is "", or names the line that is neither.
func Parse(text string) (h History, problem string) {
	line := ""
	for n := uint64(1); text != ""; n++ {
		line, text = lite.Cut(text, '\n')
		if last := len(line) - 1; last >= 0 && line[last] == '\r' {
			line = line[:last]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		first, rest := lite.Cut(line, ' ')
		id, ok := lite.ParseHex(first)
		if what, others := lite.Cut(rest, ' '); what == "conflicts" {
			for ok = ok && others != ""; ok && others != ""; {
				var other uint64
				first, others = lite.Cut(others, ' ')
				if other, ok = lite.ParseHex(first); ok && other != id {
					h.conflicts.add(min(id, other), max(id, other), 0)
				}
			}
		} else if ok {
			var runs uint64
			runs, ok = config.Uint(rest)
			h.runs.add(id, id, min(runs, maxRuns))
		}
		if !ok {
			return History{}, "line " + lite.Uint(n) + " is not ID RUNS, or ID conflicts ID"
		}
	}
	h.runs.sort()
	h.conflicts.sort()
	return h, ""
}

// Runs returns the number of runs that measured the function.
func (h *History) Runs(id uint64) uint64 {
	if i := h.runs.find(id, id); i < len(h.runs) {
		return h.runs[i].runs
	}
	return 0
}

// Conflict reports whether the two functions have shared a stack.
func (h *History) Conflict(a, b uint64) bool {
	return h.conflicts.find(min(a, b), max(a, b)) < len(h.conflicts)
}

//go:noinline
func (s *entries) add(a, b, runs uint64) { *s = append(*s, entry{a, b, runs}) }

//go:noinline
func (s entries) sort() {
	lite.Sort(len(s), func(i, j int) bool { return s[i].less(&s[j]) }, func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// find returns the position of the entry, or len(s) if there is none.
//
//go:noinline
func (s entries) find(a, b uint64) int {
	e := entry{a: a, b: b}
	i := lite.Search(len(s), func(i int) bool { return s[i].less(&e) })
	if i < len(s) && (s[i].a != a || s[i].b != b) {
		return len(s)
	}
	return i
}
