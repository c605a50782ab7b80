package wild

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// A History is what earlier runs have found out of functions, the file of known=.
type History struct{ runs, conflicts entries }

// entries are sorted.
type entries []entry

// An entry is of a function, which is a and b, with the runs that it was measured in, or of two that were
// open on one stack, the smaller ID first.
type entry struct{ a, b, runs uint64 }

func (e entry) less(f entry) bool { return e.a < f.a || e.a == f.a && e.b < f.b }

// mostRuns is the most runs that make a difference.
const mostRuns = 1<<24 - 1

// Parse reads a history. It has a line
//
//	ID RUNS
//
// for each function of which there are data, with the number of runs they are from, and a line
//
//	ID conflicts ID ID …
//
// for those that were open on one stack with others, so that the time of one has the cost of the other in
// it. Each pair needs to be there once. trouble is "" or says which line is something else.
func Parse(text string) (h History, trouble string) {
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
					h.conflicts = append(h.conflicts, entry{a: min(id, other), b: max(id, other)})
				}
			}
		} else if ok {
			var runs uint64
			runs, ok = config.Uint(rest)
			h.runs = append(h.runs, entry{id, id, min(runs, mostRuns)})
		}
		if !ok {
			return History{}, "line " + string(lite.AppendUint(nil, n)) + " is not ID RUNS, or ID conflicts ID"
		}
	}
	h.runs.sort()
	h.conflicts.sort()
	return h, ""
}

// Runs is in how many runs the function was measured.
func (h *History) Runs(id uint64) uint64 {
	if i := h.runs.find(id, id); i < len(h.runs) {
		return h.runs[i].runs
	}
	return 0
}

// Conflict says whether the two functions have shared a stack.
func (h *History) Conflict(a, b uint64) bool {
	return h.conflicts.find(min(a, b), max(a, b)) < len(h.conflicts)
}

func (s entries) sort() {
	lite.Sort(len(s), func(i, j int) bool { return s[i].less(s[j]) }, func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// find is where the entry is, len(s) if there is none.
func (s entries) find(a, b uint64) int {
	i := lite.Search(len(s), func(i int) bool { return s[i].less(entry{a: a, b: b}) })
	if i < len(s) && (s[i].a != a || s[i].b != b) {
		return len(s)
	}
	return i
}
