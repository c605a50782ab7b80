package collect

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Plan is the list of collectors that a run reads at both ends of a scope. The zero Plan is
// empty. It must not change once there are Readings.
type Plan struct {
	readers     []planned
	values      int // of all collectors
	distributed []distributed
}

// A planned is a collector of a plan, with the values from first up to, but not including, end.
type planned struct {
	*Reader
	first, end int
}

// A distributed is a value whose distribution is recorded.
type distributed struct{ collector, value int }

// Add appends a collector, unless it is nil or has no values. It returns false if there is no room.
func (p *Plan) Add(r *Reader) bool {
	if r == nil || len(r.Values) == 0 {
		return true
	}
	first, end := p.values, p.values+len(r.Values)
	if len(p.readers) == layout.MaxCollectors || end > layout.MaxValues {
		return false
	}
	for v := first; r.Distribution && v < end; v++ {
		p.distributed = append(p.distributed, distributed{len(p.readers), v})
	}
	p.readers = append(p.readers, planned{r, first, end})
	p.values = end
	return true
}

// Describe writes the names of the values to the data file. It returns false if there are none, or
// no memory. Callers of functions with a Space hold the lock.
//
//go:norace
//go:nocheckptr
func (p *Plan) Describe(space *blocks.Space) bool {
	if p.values == 0 {
		return false
	}
	var text []byte
	for i := range p.readers {
		r := &p.readers[i]
		for _, value := range r.Values {
			text = append(text, r.Name+"\t"+value+"\n"...)
		}
	}
	b := space.New(layout.BlockReadings, 0, layout.OffReadingsText+uintptr(len(text)))
	if b == nil {
		return false
	}
	*(*uint64)(unsafe.Add(b, layout.OffReadingsCollectors)) = uint64(len(p.readers))
	*(*uint64)(unsafe.Add(b, layout.OffReadingsValues)) = uint64(p.values)
	*(*uint64)(unsafe.Add(b, layout.OffReadingsLen)) = uint64(len(text))
	copy(unsafe.Slice((*byte)(unsafe.Add(b, layout.OffReadingsText)), len(text)), text)
	space.Publish(b)
	return true
}
