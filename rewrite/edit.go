package rewrite

import (
	"sort"
)

// edits collects insertions and replacements on a text, in any order, and
// carries them out at once. Insertions at one offset come out in the order in
// which they were made.
type edits struct {
	text []byte
	list []edit
	file *file // whose lines are broken where they become long; nil: none
}

type edit struct {
	from, to int
	with     string
	comment  bool // with ends in a comment that may be aligned with one above
}

func (e *edits) insert(at int, with string) {
	e.list = append(e.list, edit{from: at, to: at, with: with})
}

func (e *edits) replace(from, to int, with string) {
	e.list = append(e.list, edit{from: from, to: to, with: with})
}

// sorted puts the edits in the order of their offsets; insertions before
// replacements that start at the same place.
func (e *edits) sorted() []edit {
	sort.SliceStable(e.list, func(i, j int) bool {
		a, b := e.list[i], e.list[j]
		if a.from != b.from {
			return a.from < b.from
		}
		return a.to < b.to && a.to == a.from && b.to != b.from
	})
	return e.list
}

// apply returns the text between two offsets with the edits made. Edits that
// overlap are a mistake of the writer's and panic.
func (e *edits) apply(from, to int) []byte {
	b := &breaker{f: e.file}
	if from > 0 {
		b.col = longLine // in the middle of a line
	}
	return b.apply(e.text, e.sorted(), from, to)
}

// applySorted is apply with a list that is in order.
func applySorted(text []byte, list []edit, from, to int) []byte {
	return new(breaker).apply(text, list, from, to)
}
