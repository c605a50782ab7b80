package catalogue

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/markgen/markgen/fleet"
)

// A Query asks for APIs. Its zero value asks for all of them, those first that are called most.
type Query struct {
	Text    string // words; see the package
	Kind    string // "func", "loop" …; "": any
	Package string // whole import path; "": any
	After   Cursor // the last API that was seen; zero: from the beginning
	Limit   int    // APIs at most, up to MostFound; 0: 50
}

const (
	MostFound = 1000 // APIs that a search returns at most
	MostWords = 8    // words of a query; others are not looked at
	LongWord  = 200  // bytes of a word; others are not looked at
	countedTo = 10_000
)

// queryWords are the words of a query as they are looked for.
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

// A word of a query.
type word struct {
	folded
	exact bool  // it has capitals, and is looked for with them
	dots  []int // where it could be divided between a package and a function
	need  signature

	firstAt uint   // number of the bit of signature.letters that a text has if the word could be at a boundary of it
	end     uint16 // endOf a text that could end with it as a whole
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

// Quality says how well a word fits a name; less is better. That of a query is the sum over its words.
type quality = uint8

const (
	exactly  quality = iota // it is the whole name
	asWhole                 // it is the end of the name from a dot or slash on: Write, Buffer.Write
	asBegin                 // it is where a word begins: after anything but a letter or digit, or at a capital
	anywhere                // it is within a word
	nowhere                 // it is not there
)

// in tells how well the word fits the part of the text from start to end, which is the rest of a name.
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

// atEnd is how well the word fits the end of the i-th text as a whole one, without regard to capitals; nowhere if
// it does not.
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

// inPackage is in for the path of a package, which is never the end of a name.
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

// capitals tells whether what stands at a place of the text is the word from there on with its capitals too, which
// does not matter to a word that has none.
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

// A division is a place at which a word can be divided so that a package ends with what is before the dot.
type division struct {
	dot   int
	whole quality // where the function is what is behind the dot
	begin quality // where it begins with that
}

// divisions are those of the word for a package.
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

// behind is how well the rest of the word behind the dot of a division fits the text of a function.
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
