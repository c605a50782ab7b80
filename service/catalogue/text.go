package catalogue

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A bitset is a set of small numbers.
type bitset []uint64

func (b bitset) has(i int) bool { return i>>6 < len(b) && b[i>>6]>>(i&63)&1 != 0 }

func (b *bitset) add(i int) {
	for i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

// Folded is text in lower case, from which the text can be had back.
type folded struct {
	text    []byte
	capital bitset // of the first bytes of what were capitals
}

// add appends a text. A capital whose lower case is not as long, or does not lead back to it, stays.
func (f *folded) add(s string) {
	for i, r := range s {
		switch low := unicode.ToLower(r); {
		case r == utf8.RuneError: // the bytes themselves, which may be none of UTF-8
			_, n := utf8.DecodeRuneInString(s[i:])
			f.text = append(f.text, s[i:i+n]...)
		case low != r && utf8.RuneLen(low) == utf8.RuneLen(r) && unicode.ToUpper(low) == r:
			f.capital.add(len(f.text))
			f.text = utf8.AppendRune(f.text, low)
		default:
			f.text = utf8.AppendRune(f.text, r)
		}
	}
}

// original is the text that was added, from a place to another.
func (f *folded) original(from, to int) string {
	var s strings.Builder
	s.Grow(to - from)
	for i := from; i < to; {
		if !f.capital.has(i) {
			s.WriteByte(f.text[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(f.text[i:to])
		s.WriteRune(unicode.ToUpper(r))
		i += n
	}
	return s.String()
}

// plain is how the function of a name is searched: without the signs of a receiver. (*Buffer).Write is
// Buffer.Write, and pointer says that it was.
func plain(function string) (text string, pointer bool) {
	rest, ok := strings.CutPrefix(function, "(*")
	receiver, method, closed := strings.Cut(rest, ").")
	if !ok || !closed || receiver == "" || strings.ContainsAny(receiver, ".)") {
		return function, false
	}
	return receiver + "." + method, true
}

// withPointer is the function that plain made the text of.
func withPointer(text string) string {
	receiver, method, _ := strings.Cut(text, ".")
	return "(*" + receiver + ")." + method
}

// boundary tells whether a word begins at i in the text from start to end: at and after anything that is
// no letter or digit, or at a capital after a small letter or before one.
func (f *folded) boundary(start, i, end int) bool {
	if i == start || !inWord(f.text[i-1]) || !inWord(f.text[i]) {
		return true
	}
	if !f.capital.has(i) {
		return false
	}
	before := i - 1
	for before > start && !utf8.RuneStart(f.text[before]) {
		before--
	}
	if !f.capital.has(before) {
		return true
	}
	_, n := utf8.DecodeRune(f.text[i:end])
	after := i + n
	return after < end && isLetter(f.text[after]) && !f.capital.has(after)
}

// apart tells whether a whole name begins at i in the text from start: behind nothing, a dot or a slash.
func (f *folded) apart(start, i int) bool {
	return i == start || f.text[i-1] == '.' || f.text[i-1] == '/'
}

// Bytes of letters beyond ASCII are all taken for letters.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || c >= utf8.RuneSelf }
func inWord(c byte) bool   { return isLetter(c) || '0' <= c && c <= '9' }

// A signature says which letters and which pairs of letters a text has, so that most texts that a word is not in
// need not be looked at: if a word is in a text, all bits of its letters and pairs are among those of the text.
type signature struct {
	letters uint64 // bits 0 … 31: what occurs; bits 32 … 63: what occurs at a boundary
	pairs   uint64
}

const atBoundary = 32 // from here on are the bits of letters at boundaries

// letterBit is the bit of a letter; what is not listed shares one.
func letterBit(c byte) uint64 {
	switch {
	case 'a' <= c && c <= 'z':
		return 1 << (c - 'a')
	case '0' <= c && c <= '9':
		return 1 << (26 + (c & 1))
	case c == '.':
		return 1 << 28
	case c == ':':
		return 1 << 29
	case c == '_':
		return 1 << 30
	}
	return 1 << 31
}

// pairBit is the bit of two letters that follow each other: Fibonacci hashing.
func pairBit(c, d byte) uint64 {
	return 1 << ((uint32(c)<<8 | uint32(d)) * 2654435769 >> 26)
}

// endOf tells apart how texts end: by the last letter and how many there are behind the last dot or slash. A word can
// only be the end of a name, as a whole, if both are the same.
func endOf(text []byte) uint16 {
	if len(text) == 0 {
		return 0
	}
	behind := len(text) - 1 - bytes.LastIndexAny(text, "./")
	return uint16(min(behind, 255))<<8 | uint16(text[len(text)-1])
}

// within is the letters and pairs of a word.
func within(word []byte) (s signature) {
	for i, c := range word {
		s.letters |= letterBit(c)
		if i > 0 {
			s.pairs |= pairBit(word[i-1], c)
		}
	}
	return s
}

// signatureOf is the signature of a part of the text.
func (f *folded) signatureOf(start, end int) signature {
	s := within(f.text[start:end])
	for i := start; i < end; i++ {
		if f.boundary(start, i, end) {
			s.letters |= letterBit(f.text[i]) << atBoundary
		}
	}
	return s
}

// has tells whether all bits of need are in s.
func (s signature) has(need signature) bool {
	return need.letters&^s.letters|need.pairs&^s.pairs == 0
}

// and is what two signatures have in common.
func (s signature) and(t signature) signature {
	return signature{s.letters & t.letters, s.pairs & t.pairs}
}
