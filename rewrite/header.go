package rewrite

import (
	"go/ast"
	"go/token"
	"sort"
)

// normal returns the source text between two positions with every run of blanks,
// newlines and comments replaced by one space. Reformatting does not change it.
func (f *file) normal(from, to token.Pos) string {
	if !from.IsValid() || to <= from {
		return ""
	}
	comments := f.ast.Comments
	k := sort.Search(len(comments), func(i int) bool { return comments[i].End() > from })
	lo, hi := f.offset(from), f.offset(to)
	out := make([]byte, 0, hi-lo)
	space := false
	for i := lo; i < hi; i++ {
		if k < len(comments) && i == f.offset(comments[k].Pos()) {
			i = min(hi, f.offset(comments[k].End())) - 1
			k++
			space = true
			continue
		}
		switch c := f.Text[i]; c {
		case ' ', '\t', '\n', '\r':
			space = true
		default:
			if space && len(out) > 0 {
				out = append(out, ' ')
			}
			space = false
			out = append(out, c)
		}
	}
	return string(out)
}

// sums has for every offset of a file the hash of the text before it, without blanks and comments,
// from which the hash of any part of the file follows: a polynomial in sumBase modulo 2^64 (Karp and
// Rabin 1987).
type sums struct {
	hash   []uint64
	number []uint32 // of hashed bytes before the offset
}

const sumBase = 0x9E3779B97F4A7C15 // odd, so that its powers are never 0

// body returns the hash of the file's text between two positions.
func (f *file) body(from, to token.Pos) uint64 {
	if f.sums == nil {
		f.sums = newSums(f.Text, f.ast.Comments, f.offset)
	}
	i, j := f.offset(from), f.offset(to)
	h := f.sums.hash[j] - f.sums.hash[i]*power(f.sums.number[j]-f.sums.number[i])
	return h ^ h>>29
}

func newSums(text []byte, comments []*ast.CommentGroup, offset func(token.Pos) int) *sums {
	s := &sums{make([]uint64, len(text)+1), make([]uint32, len(text)+1)}
	var h uint64
	var n uint32
	at := 0
	skip := func(to int) {
		for ; at < to; at++ {
			s.hash[at], s.number[at] = h, n
		}
	}
	code := func(to int) {
		for ; at < to; at++ {
			s.hash[at], s.number[at] = h, n
			if c := text[at]; c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				h = h*sumBase + uint64(c) + 1
				n++
			}
		}
	}
	for _, g := range comments {
		code(offset(g.Pos()))
		skip(offset(g.End()))
	}
	code(len(text))
	s.hash[len(text)], s.number[len(text)] = h, n
	return s
}

func power(n uint32) uint64 {
	result, base := uint64(1), uint64(sumBase)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= base
		}
		base *= base
	}
	return result
}
