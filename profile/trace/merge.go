package trace

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// A stream reads the records of one processor.
type stream struct {
	*runfile.Ring
	parts []runfile.RingPart // parts after the current one
	part  runfile.RingPart
	gap   uint64 // records missing after the last, until reported

	buf   []byte // records read but not decoded
	space []byte
	next  uint64 // number of the next record
	last  uint64 // tick of the latest record
	head  Record // next record to return
	held  Record // record after head if head is a gap
	holds bool
	done  bool
}

// streamMemory is the number of bytes of records buffered over all processors, and leastWindow the
// minimum per processor.
const (
	streamMemory = 16 << 20
	leastWindow  = 32 << 10
)

// Each calls visit with all records in time order. Records of each goroutine are in order; between
// goroutines the order may be wrong if one lost its processor between reading the clock and writing
// the record. visit must not keep the record.
//
// Memory does not grow with the number of records.
func (t *File) Each(visit func(*Record)) error {
	streams := slices.Clone(t.streams)
	window := max(leastWindow, streamMemory/max(len(streams), 1)) / layout.RecordSize * layout.RecordSize
	var heap []*stream
	for i := range streams {
		s := &streams[i]
		s.space = make([]byte, min(uint64(window), s.bytes()))
		s.last = t.StartTick
		if err := t.advance(s); err != nil {
			return err
		}
		if !s.done {
			heap = append(heap, s)
		}
	}
	slices.SortFunc(heap, func(a, b *stream) int {
		return cmp.Or(cmp.Compare(a.head.Tick, b.head.Tick), cmp.Compare(a.Processor, b.Processor))
	})
	for len(heap) > 0 {
		s := heap[0]
		// All records up to the next head of the other streams come from this one.
		limit := ^uint64(0)
		for _, child := range heap[1:min(3, len(heap))] {
			limit = min(limit, child.head.Tick)
		}
		for {
			visit(&s.head)
			if !s.fast(t) {
				if err := t.advance(s); err != nil {
					return err
				}
			}
			if s.done || s.head.Tick > limit {
				break
			}
		}
		if s.done {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		siftDown(heap)
	}
	return nil
}

// siftDown restores a heap whose first element may be too large.
func siftDown(heap []*stream) {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if heap[c].head.Tick < heap[least].head.Tick {
				least = c
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// bytes returns the number of unread bytes.
func (s *stream) bytes() (n uint64) {
	for _, p := range s.parts {
		n += p.N * layout.RecordSize
	}
	return n
}

// fast sets head to the next record if that is buffered, ordinary and little-endian. Otherwise it
// returns false.
func (s *stream) fast(t *File) bool {
	b := s.buf
	if s.holds || len(b) < layout.RecordSize || t.records.Big {
		return false
	}
	b = b[:layout.RecordSize]
	cost := binary.LittleEndian.Uint64(b[layout.RecordCost:])
	what := binary.LittleEndian.Uint64(b[layout.RecordMarker:])
	index := uint32(what)&(maxMarkers-1) - layout.StackFirst
	if uint8(what>>layout.RecordKindShift) == RecordGap || cost>>layout.RecordCostBits != s.next&(1<<(64-layout.RecordCostBits)-1) || uint64(index) >= uint64(len(t.marker)) {
		return false
	}
	h := &s.head
	h.Tick = binary.LittleEndian.Uint64(b[layout.RecordTick:])
	h.Goroutine = binary.LittleEndian.Uint64(b[layout.RecordGoroutine:])
	h.Cost = cost & (1<<layout.RecordCostBits - 1)
	h.Marker = t.marker[index]
	h.Level = uint32(what >> 32)
	h.Kind = uint8(what >> layout.RecordKindShift)
	s.last = h.Tick
	s.next++
	s.buf = s.buf[layout.RecordSize:]
	return true
}

// advance sets head to the next record, or to a gap before it.
func (t *File) advance(s *stream) error {
	if s.holds {
		s.head, s.holds = s.held, false
		return nil
	}
	missing := uint64(0)
	for {
		if len(s.buf) == 0 {
			p := &s.part
			if p.N == 0 {
				if len(s.parts) == 0 {
					s.end(missing)
					return nil
				}
				*p, s.parts = s.parts[0], s.parts[1:]
			}
			missing += p.First - s.next
			s.next = p.First
			n := min(p.N, uint64(len(s.space)/layout.RecordSize))
			if err := t.records.ReadAt(s.space[:n*layout.RecordSize], p.Offset); err != nil {
				return err
			}
			s.buf = s.space[:n*layout.RecordSize]
			p.First, p.N, p.Offset = p.First+n, p.N-n, p.Offset+n*layout.RecordSize
		}
		h := t.decode(s)
		s.buf = s.buf[layout.RecordSize:]
		whole := h.Cost>>layout.RecordCostBits == s.next&(1<<(64-layout.RecordCostBits)-1)
		s.next++
		if !whole { // overwritten while the file was read
			missing++
			continue
		}
		h.Cost &= 1<<layout.RecordCostBits - 1
		if h.Kind == RecordGap {
			if h.Cost == 1<<layout.RecordCostBits-1 {
				h.Cost = math.MaxUint64
			} else {
				h.Cost += h.Tick
			}
		}
		s.head = h
		if missing > 0 {
			s.held, s.holds = h, true
			s.head = s.missing(missing, s.last, h.Tick)
		}
		s.last = h.Tick
		return nil
	}
}

// end handles the end of the records.
func (s *stream) end(missing uint64) {
	switch {
	case missing > 0:
		s.head = s.missing(profile.Add64(missing, s.gap), s.last, math.MaxUint64)
	case s.gap > 0:
		s.head = s.missing(s.gap, s.GapTick, s.GapLast)
	default:
		s.done = true
	}
	s.gap = 0
}

// missing returns a gap record.
func (s *stream) missing(n, from, to uint64) Record {
	return Record{Tick: from, Goroutine: n, Cost: to, Marker: -1, Processor: s.Processor, Kind: RecordGap}
}

// decode decodes the first record in the buffer. Cost still includes the record number.
func (t *File) decode(s *stream) Record {
	b, order := s.buf, binary.ByteOrder(binary.LittleEndian)
	if t.records.Big {
		order = binary.BigEndian
	}
	what := order.Uint32(b[layout.RecordMarker:])
	r := Record{
		Tick:      order.Uint64(b[layout.RecordTick:]),
		Goroutine: order.Uint64(b[layout.RecordGoroutine:]),
		Cost:      order.Uint64(b[layout.RecordCost:]),
		Marker:    -1,
		Level:     order.Uint32(b[layout.RecordLevel:]),
		Processor: s.Processor,
		Kind:      uint8(what >> layout.RecordKindShift),
	}
	if i := uint64(what&(maxMarkers-1)) - layout.StackFirst; i < uint64(len(t.marker)) {
		r.Marker = t.marker[i]
	}
	return r
}
