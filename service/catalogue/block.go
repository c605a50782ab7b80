package catalogue

import (
	"math/bits"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

const blockSize = 4096

// A block stores up to blockSize APIs, column by column. It has no pointers per API, so that the
// garbage collector has little to scan, and never moves.
type block struct {
	n      int
	texts  folded               // function names, without receiver signs
	end    [blockSize]uint32    // end of each text, which starts at the end of the one before
	sign   [blockSize]signature // of each text
	ends   [blockSize]uint16    // endOf each text
	pack   [blockSize]uint32    // index of the package
	level  [blockSize]uint8     // bit length of count
	flags  [blockSize]uint8     // whole, pointer
	kind   [blockSize]uint8     // index of the kind
	id     [blockSize]registry.ID
	file   [blockSize]uint32 // index of the file
	line   [blockSize]uint32
	first  [blockSize]int64 // Unix ns
	change [blockSize]int64 // Unix ns
	runs   [blockSize]uint64
	count  [blockSize]uint64
	total  [blockSize]profile.Uint128
	mean   [blockSize]float64
	max    [blockSize]uint64
	origin [blockSize]uint32
}

const (
	whole   = 1 << iota // the text is the complete name, which does not start with the package
	pointer             // the text is that of a method with a pointer receiver
)

// span returns the range of the i-th text.
func (b *block) span(i int) (start, end int) {
	if i > 0 {
		start = int(b.end[i-1])
	}
	return start, int(b.end[i])
}

// textOf returns the text to search for an API's name, without its package unless flags has whole.
func textOf(a *fleet.API) (text string, flags uint8) {
	function, ok := strings.CutPrefix(a.Name, a.Package)
	if ok && a.Package != "" {
		function, ok = strings.CutPrefix(function, ".")
	} else {
		ok = false
	}
	if !ok {
		function, flags = a.Name, whole
	}
	text, isPointer := plain(function)
	if isPointer {
		flags |= pointer
	}
	return text, flags
}

// function returns the name of the i-th API without its package, in its original form.
func (b *block) function(i int) string {
	text := b.texts.original(b.span(i))
	if b.flags[i]&pointer != 0 {
		return withPointer(text)
	}
	return text
}

// add appends an API.
func (b *block) add(x *Index, a *fleet.API) {
	text, flags := textOf(a)
	i := b.n
	b.texts.add(text)
	b.end[i] = uint32(len(b.texts.text))
	b.describe(i)
	b.flags[i] = flags
	b.id[i] = a.ID
	b.n++
	b.set(x, i, a)
}

// describe sets the columns derived from the i-th text.
func (b *block) describe(i int) {
	start, end := b.span(i)
	b.sign[i] = b.texts.signatureOf(start, end)
	b.ends[i] = endOf(b.texts.text[start:end])
}

// rename changes the text of the i-th API. It rebuilds all texts of the block; that is rare.
func (b *block) rename(i int, text string, flags uint8) {
	var texts folded
	texts.text = make([]byte, 0, len(b.texts.text)+len(text))
	var end [blockSize]uint32
	for k := range b.n {
		t := text
		if k != i {
			t = b.texts.original(b.span(k))
		}
		texts.add(t)
		end[k] = uint32(len(texts.text))
	}
	b.texts, b.end = texts, end
	b.flags[i] = flags
	b.describe(i)
}

// set sets all columns of an API except its text.
func (b *block) set(x *Index, i int, a *fleet.API) {
	b.pack[i] = x.packages.number(a.Package)
	b.kind[i] = uint8(min(x.kinds.number(a.Kind), 255)) // there are six
	b.file[i] = x.files.number(a.File)
	b.line[i] = uint32(max(0, a.Line))
	b.first[i], b.change[i] = nanos(a.First), nanos(a.Changed)
	b.runs[i], b.count[i], b.total[i], b.mean[i], b.max[i] = a.Runs, a.Count, a.TotalNS, a.MeanNS, a.MaxNS
	b.origin[i] = uint32(min(a.Origins, 1<<32-1))
	b.level[i] = uint8(bits.Len64(a.Count))
}

// nanos returns t in Unix ns; 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// api returns the i-th API.
func (b *block) api(x *Index, i int) fleet.API {
	a := fleet.API{
		ID:      b.id[i],
		Name:    b.function(i),
		Package: x.packages.names[b.pack[i]],
		Kind:    x.kinds.names[b.kind[i]],
		File:    x.files.names[b.file[i]],
		Line:    int(b.line[i]),
		First:   time.Unix(0, b.first[i]).UTC(),
		Changed: time.Unix(0, b.change[i]).UTC(),
		Runs:    b.runs[i],
		Count:   b.count[i],
		TotalNS: b.total[i],
		MeanNS:  b.mean[i],
		MaxNS:   b.max[i],
		Origins: uint64(b.origin[i]),
	}
	if b.flags[i]&whole == 0 {
		a.Name = a.Package + "." + a.Name
	}
	return a
}
