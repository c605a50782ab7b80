package rewrite

import (
	"sort"
)

// An edits is a queue of insertions and replacements in a text, made in any order.
// Insertions at the same offset are applied in the order in which they were made.
type edits struct {
	text []byte
	list []edit
	file *file // file of the text, to break long lines; nil to not break any
}

type edit struct {
	from, to int
	with     string
}

func (e *edits) insert(at int, with string) {
	e.list = append(e.list, edit{from: at, to: at, with: with})
}

func (e *edits) replace(from, to int, with string) {
	e.list = append(e.list, edit{from: from, to: to, with: with})
}

// sorted sorts the edits by offset, insertions before replacements at the same offset, and returns
// them.
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

// apply returns the text between two offsets with the edits applied. It panics if edits overlap.
func (e *edits) apply(from, to int) []byte {
	b := &breaker{f: e.file}
	if from > 0 {
		b.col = longLine // in the middle of a line
	}
	return b.apply(e.text, e.sorted(), from, to)
}
