package rewrite

import (
	"bytes"
	"go/format"
	"slices"
)

// An aligner reformats the groups of declarations that marking has changed, each by itself, or the
// whole file if a group that cannot be formatted alone has changed.
type aligner struct {
	f       *file
	groups  []group
	touched []int // indexes of groups
	whole   bool
}

// An alignedGroup is a group that was formatted.
type alignedGroup struct {
	group       // in the original
	in, out int // offsets of its marked text
}

// touch records that the alignment around an offset may change. It reports whether the original
// text there is formatted as gofmt does.
func (r *aligner) touch(at int) bool {
	i := groupAt(r.groups, at)
	switch {
	case r.whole || slices.Contains(r.touched, i):
		return true
	case i < 0 || !r.groups[i].alone:
		r.whole = true
		return formatted(r.f.Text)
	}
	r.touched = append(r.touched, i)
	g := r.groups[i]
	return formattedAlone(r.f.Text[g.from:g.to])
}

// align formats the marked text. It reports whether that was possible without moving lines.
func (r *aligner) align(m *markedText) bool {
	if r.whole {
		text, err := format.Source(m.plain)
		m.text = text
		return err == nil && lineCount(text) == lineCount(m.plain)
	}
	slices.Sort(r.touched)
	m.byLines = true
	text := make([]byte, 0, len(m.plain))
	at := 0
	for _, i := range r.touched {
		g := r.groups[i]
		text = append(text, applySorted(r.f.Text, m.edits, at, g.from)...)
		plain := applySorted(r.f.Text, m.edits, g.from, g.to)
		aligned, ok := formatAlone(plain)
		if !ok || lineCount(aligned) != lineCount(plain) {
			return false
		}
		m.alone = append(m.alone, alignedGroup{g, len(text), len(text) + len(aligned)})
		text = append(text, aligned...)
		at = g.to
	}
	m.text = append(text, applySorted(r.f.Text, m.edits, at, len(r.f.Text))...)
	return true
}

func lineCount(text []byte) int { return bytes.Count(text, []byte("\n")) }

// restoresAlone reports whether Strip restores each formatted group of a file, given the group
// alone. rest is the marked text with the original groups in their place.
func (w *inPlaceWriter) restoresAlone(f *file, m *markedText) (rest []byte, ok bool) {
	if len(m.alone) == 0 {
		return m.text, true
	}
	head := groupHead + "import " + w.importing() + "\n\n"
	at := 0
	for _, g := range m.alone {
		original := f.Text[g.from:g.to]
		if !bytes.Contains(original, []byte("/*")) && bytes.Equal(withoutNotes(withoutLines(m.text[g.in:g.out], w.names)), original) {
			rest = append(append(rest, m.text[at:g.in]...), original...)
			at = g.out
			continue
		}
		back, err := Strip(f.Name, slices.Concat([]byte(head), m.text[g.in:g.out]))
		if err != nil || !bytes.Equal(back, alone(original)) {
			return nil, false
		}
		rest = append(append(rest, m.text[at:g.in]...), original...)
		at = g.out
	}
	return append(rest, m.text[at:]...), true
}
