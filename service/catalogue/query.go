package catalogue

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/markgen/markgen/fleet"
)

// A Query selects APIs by text. The zero value selects all, sorted by number of calls.
type Query struct {
	Text    string // words, see the package comment
	Kind    string // "func", "loop" …; "" for any
	Package string // complete import path; "" for any
	After   Cursor // Next of the previous page; "" to start
	Limit   int    // max results, up to MostFound; 0 for 50
}

const (
	MostFound = 1000 // max results of a search
	MostWords = 8    // max words of a query; further ones are ignored
	LongWord  = 200  // max bytes of a word; further ones are ignored
	countedTo = 10_000
)

// queryWords returns the words of a query.
func queryWords(text string) (list []word) {
	for _, w := range strings.Fields(text) {
		if len(list) == MostWords {
			break
		}
		if w = fleet.PlainName(w); w != "" {
			list = append(list, newWord(w[:min(len(w), LongWord)]))
		}
	}
	return list
}

// A word is a word of a query.
type word struct {
	folded
	exact bool  // it has capitals, and is case-sensitive
	dots  []int // offsets of dots: it may be split there into package and function
	need  signature

	firstAt uint   // bit number in signature.letters that a text must have to match the word at a boundary
	end     uint16 // endOf a text that can end with the complete word
}

func newWord(text string) (w word) {
	w.add(text)
	w.exact = len(w.capital) > 0
	w.need = within(w.text)
	w.firstAt = uint(bits.TrailingZeros64(letterBit(w.text[0]))) + atBoundary
	w.end = endOf(w.text)
	for i, c := range w.text {
		if c == '.' {
			w.dots = append(w.dots, i)
		}
	}
	return w
}

// A quality rates the match of a word and a name; less is better. A query's is the sum over its
// words.
type quality = uint8

const (
	exactly  quality = iota // the whole name
	asWhole                 // the end of the name after a dot or slash: Write, Buffer.Write
	asBegin                 // at a word boundary: after a character that is not a letter or digit, or at a capital
	anywhere                // within a word
	nowhere                 // no match
)

// in rates the match of the word and the text from start to end, which is a name or its end.
func (w *word) in(f *folded, start, end int, isWhole bool) quality {
	best := quality(nowhere)
	for from := start; ; {
		at := bytes.Index(f.text[from:end], w.text)
		if at < 0 {
			return best
		}
		at += from
		if w.capitals(f, at, 0) {
			last := at + len(w.text)
			switch {
			case last == end && f.apart(start, at):
				if at == start && isWhole {
					return exactly
				}
				best = min(best, asWhole)
			case f.boundary(start, at, end):
				best = min(best, asBegin)
			default:
				best = min(best, anywhere)
			}
		}
		from = at + 1
	}
}

// atEnd rates the match of the word and the end of the i-th text, ignoring case; nowhere if the
// text does not end with the complete word.
func (w *word) atEnd(b *block, i int, isWhole bool) quality {
	start, end := b.span(i)
	at := end - len(w.text)
	switch {
	case at < start || !b.texts.apart(start, at) || !bytes.Equal(b.texts.text[at:end], w.text):
		return nowhere
	case at == start && isWhole:
		return exactly
	}
	return asWhole
}

// inPackage is in for a package path, which is never the end of a name.
func (w *word) inPackage(f *folded, start, end int) quality {
	best := quality(nowhere)
	for from := start; ; {
		at := bytes.Index(f.text[from:end], w.text)
		if at < 0 {
			return best
		}
		if at += from; w.capitals(f, at, 0) {
			if f.boundary(start, at, end) {
				return asBegin
			}
			best = anywhere
		}
		from = at + 1
	}
}

// capitals reports whether the case at offset at of the text matches the word's from offset from
// on. It always does for a word that is not case-sensitive.
func (w *word) capitals(f *folded, at, from int) bool {
	return w.capitalsTo(f, at, from, len(w.text))
}

func (w *word) capitalsTo(f *folded, at, from, to int) bool {
	if w.exact {
		for i := from; i < to; i++ {
			if f.capital.has(at+i-from) != w.capital.has(i) {
				return false
			}
		}
	}
	return true
}

// A division is a dot at which a word can be split, so that a package ends with the part before it.
type division struct {
	dot   int
	whole quality // if the function equals the part after the dot
	begin quality // if the function starts with that part
}

// divisions returns the divisions of the word for a package.
func (w *word) divisions(f *folded, start, end int) (list []division) {
	for _, dot := range w.dots {
		at := end - dot
		if at < start || !bytes.Equal(f.text[at:end], w.text[:dot]) || !w.capitalsTo(f, at, 0, dot) {
			continue
		}
		d := division{dot, anywhere, anywhere}
		if dot == 0 || f.boundary(start, at, end) {
			d = division{dot, asBegin, asBegin}
		}
		switch {
		case at == start:
			d.whole = exactly
		case f.apart(start, at):
			d.whole = asWhole
		}
		list = append(list, d)
	}
	return list
}

// behind rates the match of the part after a division's dot and the text of a function.
func (w *word) behind(d division, f *folded, start, end int) quality {
	rest := w.text[d.dot+1:]
	if !bytes.HasPrefix(f.text[start:end], rest) || !w.capitals(f, start, d.dot+1) {
		return nowhere
	}
	if end-start == len(rest) {
		return d.whole
	}
	return d.begin
}
