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

// A folded is text in lower case, from which the original can be restored.
type folded struct {
	text    []byte
	capital bitset // first bytes of capitals
}

// add appends a text. A capital is kept if its lower case has another length or does not map back
// to it.
func (f *folded) add(s string) {
	for i, r := range s {
		switch low := unicode.ToLower(r); {
		case r == utf8.RuneError: // copy the bytes, which may be invalid UTF-8
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

// original returns a range of the text in its original case.
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

// plain returns the text by which a function is searched, without the signs of its receiver:
// Buffer.Write for (*Buffer).Write. pointer reports whether there were some.
func plain(function string) (text string, pointer bool) {
	rest, ok := strings.CutPrefix(function, "(*")
	receiver, method, closed := strings.Cut(rest, ").")
	if !ok || !closed || receiver == "" || strings.ContainsAny(receiver, ".)") {
		return function, false
	}
	return receiver + "." + method, true
}

// withPointer reverses plain.
func withPointer(text string) string {
	receiver, method, _ := strings.Cut(text, ".")
	return "(*" + receiver + ")." + method
}

// boundary reports whether a word starts at i in the text from start to end: at and after a
// character that is not a letter or digit, or at a capital that follows, or is followed by, a small
// letter.
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

// apart reports whether a complete name starts at i: at start, or after a dot or slash.
func (f *folded) apart(start, i int) bool {
	return i == start || f.text[i-1] == '.' || f.text[i-1] == '/'
}

// isLetter reports whether c is a letter; all bytes beyond ASCII count as letters.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || c >= utf8.RuneSelf }
func inWord(c byte) bool   { return isLetter(c) || '0' <= c && c <= '9' }

// A signature is a Bloom filter of the letters and pairs of letters of a text, which saves looking
// at most texts that don't contain a word: a text that does has all bits of the word.
type signature struct {
	letters uint64 // bits 0 to 31: letters anywhere; bits 32 to 63: letters at a boundary
	pairs   uint64
}

const atBoundary = 32 // first bit of letters at boundaries

// letterBit returns the bit of a letter; bytes that are not listed share one.
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

// pairBit returns the bit of two adjacent letters: Fibonacci hashing.
func pairBit(c, d byte) uint64 {
	return 1 << ((uint32(c)<<8 | uint32(d)) * 2654435769 >> 26)
}

// endOf returns the last letter of a text and the number of letters after its last dot or slash.
// Only if these are equal can a word be the complete end of a name.
func endOf(text []byte) uint16 {
	if len(text) == 0 {
		return 0
	}
	behind := len(text) - 1 - bytes.LastIndexAny(text, "./")
	return uint16(min(behind, 255))<<8 | uint16(text[len(text)-1])
}

// within returns the signature of a word, without boundaries.
func within(word []byte) (s signature) {
	for i, c := range word {
		s.letters |= letterBit(c)
		if i > 0 {
			s.pairs |= pairBit(word[i-1], c)
		}
	}
	return s
}

// signatureOf returns the signature of a range of the text.
func (f *folded) signatureOf(start, end int) signature {
	s := within(f.text[start:end])
	for i := start; i < end; i++ {
		if f.boundary(start, i, end) {
			s.letters |= letterBit(f.text[i]) << atBoundary
		}
	}
	return s
}

// has reports whether s has all bits of need.
func (s signature) has(need signature) bool {
	return need.letters&^s.letters|need.pairs&^s.pairs == 0
}

// and returns the common bits of two signatures.
func (s signature) and(t signature) signature {
	return signature{s.letters & t.letters, s.pairs & t.pairs}
}
