package cct

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// Other is the label of scopes whose marker has MaxLabels already.
const Other = layout.PathOtherLabel

const (
	// MaxLabels is the maximum number of labels of a marker.
	MaxLabels = 1000

	// maxLabelSize is how many bytes of a label are kept.
	maxLabelSize = 256

	firstLabel = Other + 1
	labelRoom  = 1 << 16 // labels of all markers, and one entry for each marker that has any
	labelMask  = 2*labelRoom - 1
)

// labels are the labels of a tree: pairs of a marker and a text, numbered from firstLabel on. The
// entry with the empty text counts the labels of its marker.
type labels struct {
	list  *[labelRoom]label
	table *[2 * labelRoom]uint32 // hash table with open addressing: numbers
	n     uint32                 // under the lock
}

type label struct {
	text   unsafe.Pointer
	size   uint32
	marker uint32
	count  uint32 // of the marker's labels, if size is 0
}

//go:norace
func (l *labels) open(memory func(uintptr) unsafe.Pointer) bool {
	l.list = (*[labelRoom]label)(memory(unsafe.Sizeof(*l.list)))
	l.table = (*[2 * labelRoom]uint32)(memory(unsafe.Sizeof(*l.table)))
	l.n = firstLabel
	return l.list != nil && l.table != nil
}

// find returns the number of the label, or the place in the table where it belongs.
//
//go:norace
//go:nocheckptr
func (l *labels) find(marker uint32, text string) (number, place uint32) {
	h := uint64(marker) ^ 0xcbf29ce484222325 // FNV-1a (Fowler, Noll, Vo)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	for i := uint32(h ^ h>>32); ; i++ {
		k := atomic.LoadUint32(&l.table[i&labelMask])
		if k == 0 {
			return 0, i & labelMask
		}
		e := &l.list[k%labelRoom]
		if e.marker == marker && int(e.size) == len(text) && (e.size == 0 || unsafe.String((*byte)(e.text), e.size) == text) {
			return k, 0
		}
	}
}

// Label returns the number of a label of the marker, or 0 if AddLabel has to be called. Texts are
// cut to 256 bytes.
//
//go:norace
func (t *Tree) Label(marker uint32, text string) uint32 {
	l := &t.labels
	text = cut(text)
	k, _ := l.find(marker, text)
	if k == 0 {
		if of, _ := l.find(marker, ""); of != 0 && atomic.LoadUint32(&l.list[of%labelRoom].count) >= MaxLabels {
			return Other
		}
	}
	return k
}

func cut(text string) string { return text[:min(len(text), maxLabelSize)] }

// AddLabel is Label, but adds the label. The caller holds the lock. The text is not empty.
//
//go:norace
//go:nocheckptr
func (t *Tree) AddLabel(space *blocks.Space, marker uint32, text string) uint32 {
	if k := t.Label(marker, text); k != 0 {
		return k
	}
	l := &t.labels
	if l.n+1 >= labelRoom {
		return Other
	}
	of, place := l.find(marker, "")
	if of == 0 {
		of = l.add(place, label{marker: marker})
	}
	text = cut(text)
	p := space.New(layout.BlockLabel, 0, layout.OffLabelText+uintptr(len(text)))
	if p == nil {
		return Other
	}
	k, into := l.n, unsafe.Add(p, layout.OffLabelText)
	*(*uint64)(unsafe.Add(p, layout.OffLabelNumber)) = uint64(k)
	*(*uint64)(unsafe.Add(p, layout.OffLabelLen)) = uint64(len(text))
	copy(unsafe.Slice((*byte)(into), len(text)), text)
	space.Publish(p)
	_, place = l.find(marker, text)
	l.add(place, label{text: into, size: uint32(len(text)), marker: marker})
	atomic.AddUint32(&l.list[of%labelRoom].count, 1)
	return k
}

//go:norace
func (l *labels) add(place uint32, e label) uint32 {
	k := l.n
	l.list[k%labelRoom] = e
	l.n++
	atomic.StoreUint32(&l.table[place], k)
	return k
}
