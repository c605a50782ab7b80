package rewrite

import "sort"

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

// apply returns the text between two offsets with the edits applied, insertions before replacements
// at the same offset. It panics if edits overlap.
func (e *edits) apply(from, to int) []byte {
	sort.SliceStable(e.list, func(i, j int) bool {
		a, b := e.list[i], e.list[j]
		if a.from != b.from {
			return a.from < b.from
		}
		return a.to < b.to && a.to == a.from && b.to != b.from
	})
	b := &breaker{f: e.file, out: make([]byte, 0, 2*(to-from))}
	if from > 0 {
		b.col = longLine // in the middle of a line
	}
	at := from
	for _, d := range e.list {
		if d.from < from || d.to > to {
			continue
		}
		if d.from < at {
			panic("rewrite: edits overlap: " + d.with)
		}
		b.add(e.text[at:d.from])
		b.insert(d.with, d.from, d.to)
		at = d.to
	}
	b.add(e.text[at:to])
	return b.out
}
