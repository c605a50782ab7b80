package rewrite

import (
	"go/ast"
	"go/token"
	"sort"
)

// normal is the source text between two positions with every run of blanks,
// line ends and comments reduced to one space: what of a header survives
// re-indenting and re-wrapping.
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

// sums makes the hash of any stretch of a file's text, blanks and comments
// left out, a matter of two look-ups: prefix sums of a polynomial in base
// over the bytes that count, modulo 2^64 (Karp and Rabin 1987).
type sums struct {
	hash  []uint64 // hash[i] of the bytes before offset i
	count []uint32 // how many bytes before offset i count
}

const sumBase = 0x9E3779B97F4A7C15 // odd, so that powers never vanish

func (f *file) body(from, to token.Pos) uint64 {
	if f.sums == nil {
		f.sums = newSums(f.Text, f.ast.Comments, f.offset)
	}
	lo, hi := f.offset(from), f.offset(to)
	h := f.sums.hash[hi] - f.sums.hash[lo]*power(f.sums.count[hi]-f.sums.count[lo])
	return h ^ h>>29
}

func newSums(text []byte, comments []*ast.CommentGroup, offset func(token.Pos) int) *sums {
	s := &sums{make([]uint64, len(text)+1), make([]uint32, len(text)+1)}
	var h uint64
	var n uint32
	end := 0 // of the comment that is being passed
	k := 0
	for i, c := range text {
		if k < len(comments) && i == offset(comments[k].Pos()) {
			end = offset(comments[k].End())
			k++
		}
		s.hash[i], s.count[i] = h, n
		if i >= end && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			h = h*sumBase + uint64(c) + 1
			n++
		}
	}
	s.hash[len(text)], s.count[len(text)] = h, n
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
