package rewrite

import (
	"go/token"
	"iter"
	"sort"
)

// code returns the bytes of the source between two positions, with a space for every blank, newline
// and comment.
func (f *file) code(from, to token.Pos) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		comments := f.ast.Comments
		k := sort.Search(len(comments), func(i int) bool { return comments[i].End() > from })
		for i, end := f.offset(from), f.offset(to); i < end; i++ {
			c := f.Text[i]
			if k < len(comments) && i >= f.offset(comments[k].Pos()) {
				i, c = f.offset(comments[k].End())-1, ' '
				k++
			} else if c == '\t' || c == '\n' || c == '\r' {
				c = ' '
			}
			if !yield(c) {
				return
			}
		}
	}
}

// normal returns the source text between two positions with every run of blanks,
// newlines and comments replaced by one space. Reformatting does not change it.
func (f *file) normal(from, to token.Pos) string {
	if !from.IsValid() || to <= from {
		return ""
	}
	out := make([]byte, 0, to-from)
	space := false
	for c := range f.code(from, to) {
		if c != ' ' && space && len(out) > 0 {
			out = append(out, ' ')
		}
		if space = c == ' '; !space {
			out = append(out, c)
		}
	}
	return string(out)
}

// body returns a hash of the source text between two positions, without blanks and comments: a
// polynomial in hashBase modulo 2^64. Registries contain it, so it must not change.
func (f *file) body(from, to token.Pos) (h uint64) {
	for c := range f.code(from, to) {
		if c != ' ' {
			h = h*hashBase + uint64(c) + 1
		}
	}
	return h ^ h>>29
}

const hashBase = 0x9E3779B97F4A7C15 // odd, so that its powers are never 0
