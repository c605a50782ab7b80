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

// sums has rolling hashes of a file's text without blanks and comments, from which
// the hash of any part of the file is found quickly: prefix hashes, polynomials in
// sumBase modulo 2^64 (Karp and Rabin 1987), for every stride-th offset.
type sums struct {
	text   []byte
	counts []uint64 // bit set of the bytes that are hashed
	hash   []uint64 // hash[i] is the hash of the hashed bytes before offset i*stride
	number []uint32 // number[i] is the number of these bytes
}

const (
	sumBase = 0x9E3779B97F4A7C15 // odd, so that its powers are never 0
	stride  = 64                 // bits of a word of counts
)

func (f *file) body(from, to token.Pos) uint64 {
	if f.sums == nil {
		f.sums = newSums(f.Text, f.ast.Comments, f.offset)
	}
	before, m := f.sums.at(f.offset(from))
	h, n := f.sums.at(f.offset(to))
	h -= before * power(n-m)
	return h ^ h>>29
}

func newSums(text []byte, comments []*ast.CommentGroup, offset func(token.Pos) int) *sums {
	words := len(text)/stride + 1
	s := &sums{text, make([]uint64, words), make([]uint64, words), make([]uint32, words)}
	var h uint64
	var n uint32
	word := 0 // the next element of hash and number to set
	for at := 0; ; {
		code, next := len(text), len(text) // start and end of the next comment
		if len(comments) > 0 {
			code, next = offset(comments[0].Pos()), offset(comments[0].End())
			comments = comments[1:]
		}
		for ; at < code; at++ {
			if at%stride == 0 {
				s.hash[word], s.number[word] = h, n
				word++
			}
			if c := text[at]; c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				s.counts[at/stride] |= 1 << (at % stride)
				h = h*sumBase + uint64(c) + 1
				n++
			}
		}
		for at = max(at, next); word < words && (word*stride < at || at == len(text)); word++ {
			s.hash[word], s.number[word] = h, n
		}
		if at == len(text) {
			return s
		}
	}
}

// at returns the hash and the number of the hashed bytes before an offset.
func (s *sums) at(offset int) (h uint64, n uint32) {
	word := offset / stride
	h, n = s.hash[word], s.number[word]
	for i := word * stride; i < offset; i++ {
		if s.counts[word]>>(i%stride)&1 == 1 {
			h = h*sumBase + uint64(s.text[i]) + 1
			n++
		}
	}
	return h, n
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
