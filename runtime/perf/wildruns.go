//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// known is what the file of known= says of markers, for collect=wild: a line
//
//	ID RUNS
//
// for each of which there are data, with the number of runs they are from, and a line
//
//	ID conflicts ID ID …
//
// for those that were open on one stack with others, so that the time of one has the
// cost of the other in it. Each pair needs to be there once.
type known struct {
	runs      []knownRuns // sorted by ID
	conflicts []conflict  // sorted
}

type (
	knownRuns struct{ id, runs uint64 }
	conflict  struct{ a, b uint64 } // the smaller first
)

// mostRuns is the most runs that make a difference.
const mostRuns = 1<<24 - 1

// readKnown reads the file of that name. A file that there is not yet says nothing:
// the first to start has none.
func readKnown(path string) (k known, trouble string) {
	text, trouble := readAll(path, false)
	if noFile(trouble) {
		return known{}, ""
	}
	if trouble == "" {
		k, trouble = parseKnown(string(text))
	}
	if trouble != "" {
		return known{}, config.Refuse("known", "cannot be "+path+": "+trouble)
	}
	return k, ""
}

func parseKnown(text string) (k known, trouble string) {
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
		what, others := lite.Cut(rest, ' ')
		if ok && what == "conflicts" {
			ok = k.addConflicts(id, others)
		} else if ok {
			var runs uint64
			runs, ok = config.Uint(rest)
			k.runs = append(k.runs, knownRuns{id, min(runs, mostRuns)})
		}
		if !ok {
			return known{}, "line " + string(lite.AppendUint(nil, n)) + " is not ID RUNS, or ID conflicts ID"
		}
	}
	r, c := k.runs, k.conflicts
	lite.Sort(len(r), func(i, j int) bool { return r[i].id < r[j].id }, func(i, j int) { r[i], r[j] = r[j], r[i] })
	lite.Sort(len(c), func(i, j int) bool { return c[i].less(c[j]) }, func(i, j int) { c[i], c[j] = c[j], c[i] })
	return k, ""
}

func (k *known) addConflicts(id uint64, others string) (ok bool) {
	for others != "" {
		var one string
		one, others = lite.Cut(others, ' ')
		other, good := lite.ParseHex(one)
		if !good {
			return false
		}
		if ok = true; other != id {
			k.conflicts = append(k.conflicts, conflict{min(id, other), max(id, other)})
		}
	}
	return ok
}

func (c conflict) less(d conflict) bool { return c.a < d.a || c.a == d.a && c.b < d.b }

// of is in how many runs the marker was measured so far.
func (k *known) of(id uint64) uint64 {
	if i := lite.Search(len(k.runs), func(i int) bool { return k.runs[i].id < id }); i < len(k.runs) && k.runs[i].id == id {
		return k.runs[i].runs
	}
	return 0
}

// share says whether the two markers share a stack, as far as is known.
func (k *known) share(a, b uint64) bool {
	want := conflict{min(a, b), max(a, b)}
	i := lite.Search(len(k.conflicts), func(i int) bool { return k.conflicts[i].less(want) })
	return i < len(k.conflicts) && k.conflicts[i] == want
}
