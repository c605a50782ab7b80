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

// A block has what is known of up to blockSize APIs, in a column for each thing: nothing in it is a pointer that the
// garbage collector would have to follow, and it never moves.
type block struct {
	n      int
	texts  folded               // of the functions, plain
	end    [blockSize]uint32    // of each text; it begins where the one before ends
	sign   [blockSize]signature // of each text
	ends   [blockSize]uint16    // endOf each text
	pack   [blockSize]uint32    // the package
	level  [blockSize]uint8     // how much it is called: number of binary digits of the count
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
	whole   = 1 << iota // the text is the whole name, which does not begin with the package
	pointer             // the text is that of a method with a pointer receiver
)

// span is where the i-th text is.
func (b *block) span(i int) (start, end int) {
	if i > 0 {
		start = int(b.end[i-1])
	}
	return start, int(b.end[i])
}

// textOf is what is searched of the name of an API, besides its package if flags have not whole.
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

// function is the i-th API's name without its package, as it was.
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

// describe sets what follows from the i-th text.
func (b *block) describe(i int) {
	start, end := b.span(i)
	b.sign[i] = b.texts.signatureOf(start, end)
	b.ends[i] = endOf(b.texts.text[start:end])
}

// rename gives the i-th API another text. All texts of the block are made anew; that is rare.
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

// set takes in all of an API but its text.
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

// nanos is a time in Unix ns; 0 of the zero time, which has none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// api is the i-th API.
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
