package store

import (
	"encoding/binary"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Figures are added up in memory before they are written: of an API that many machines report, a row is written once in
// some seconds and not for each of them. What is in memory is in the log on disk as well (ingest.go).
//
// The sum is in chunks, by the highest bits of the API's ID, which is where its rows are in the tables. Each is
// written alone, in a short transaction, which notes up to which batch of the log the chunk has been written.
const (
	chunks    = 256
	headChunk = chunks // of what is of runs as a whole
	allChunks = chunks + 1
)

func chunkOf(api uint64) int { return int(api >> 56) }

// A cellKey tells cells apart.
type cellKey struct {
	api    uint64
	origin int32
	day    int32
}

// A wordsKey tells apart the words that an API has had: name, kind and place.
type wordsKey struct {
	api  uint64
	hash uint64
}

// A chunk is a part of the sum.
type chunk struct {
	cells map[cellKey][]byte // parts
	words map[wordsKey]int64 // start of the newest run that had them
	from  int64              // number of the first batch in it
	bytes int
}

// keyBytes is what a key and its place take.
const keyBytes = 64

// A delta is what a batch adds to the sum.
type delta struct {
	origin int32
	day    int32
	head   []byte
	cells  []byte // of each its API, the hash of its words, its length and its parts
	count  int
}

// deltaOf makes the delta of a profile.
func deltaOf(p *profile.Profile, origin int32, day fleet.Day, numbers names) *delta {
	d := &delta{origin: origin, day: int32(day), count: len(p.Markers)}
	var pack packer
	d.head = pack.head(p)
	for i := range p.Markers {
		m := &p.Markers[i]
		parts := pack.marker(m, numbers)
		d.cells = binary.LittleEndian.AppendUint64(d.cells, uint64(m.ID))
		d.cells = binary.LittleEndian.AppendUint64(d.cells, hashWords(m))
		d.cells = binary.LittleEndian.AppendUint64(d.cells, uint64(asOf(m, day)))
		d.cells = binary.LittleEndian.AppendUint32(d.cells, uint32(len(parts)))
		d.cells = append(d.cells, parts...)
	}
	return d
}

// asOf is the start of the run that gave the marker its name. It is not believed to be later than the day after the
// batch's.
func asOf(m *profile.Marker, day fleet.Day) int64 {
	return max(0, min(m.AsOf(), (day+2).Time().UnixNano()-1))
}

// A sum is what has come and is not written yet.
type sum struct {
	chunks [allChunks]*chunk
	bytes  int
	spare  []byte
	last   int64 // number of the last batch in it
}

// add adds what a batch of that number in the log adds. Of chunks that after says have been written up to it, nothing is
// added; after may be nil.
func (s *sum) add(d *delta, number int64, after *[allChunks]int64) {
	s.last = number
	if after == nil || after[headChunk] < number {
		s.part(headChunk, cellKey{0, d.origin, d.day}, d.head, number, true)
	}
	for b := d.cells; len(b) > 0; {
		api, words, asOf := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), int64(binary.LittleEndian.Uint64(b[16:]))
		n := binary.LittleEndian.Uint32(b[24:])
		parts := b[28 : 28+n]
		b = b[28+n:]
		c := chunkOf(api)
		if after != nil && after[c] >= number {
			continue
		}
		s.part(c, cellKey{api, d.origin, d.day}, parts, number, false)
		key := wordsKey{api, words}
		have, ok := s.chunks[c].words[key]
		if !ok {
			s.grow(c, keyBytes)
		}
		if !ok || asOf > have {
			s.chunks[c].words[key] = asOf
		}
	}
}

func (s *sum) grow(c, bytes int) {
	s.bytes += bytes
	s.chunks[c].bytes += bytes
}

// part adds to a cell; of the head it is a row.
func (s *sum) part(c int, key cellKey, parts []byte, number int64, head bool) {
	k := s.chunks[c]
	if k == nil {
		k = &chunk{cells: map[cellKey][]byte{}, words: map[wordsKey]int64{}, from: number}
		s.chunks[c] = k
	}
	have, ok := k.cells[key]
	switch {
	case !ok:
		s.grow(c, keyBytes+len(parts))
		k.cells[key] = append([]byte(nil), parts...)
		return
	case head:
		var row [widest]int64
		heads.clear(&row)
		heads.unpack(&row, have)
		heads.unpack(&row, parts)
		s.spare = heads.pack(s.spare[:0], &row)
	default:
		s.spare = mergeParts(s.spare[:0], have, parts)
	}
	s.grow(c, len(s.spare)-len(have))
	if cap(have) < len(s.spare) {
		have = make([]byte, 0, len(s.spare)+len(s.spare)/8)
	}
	k.cells[key] = append(have[:0], s.spare...)
}

// take takes a chunk out of the sum; nil: nothing is in it. What it returns is counted by bytes until drop.
func (s *sum) take(c int) *chunk {
	k := s.chunks[c]
	s.chunks[c] = nil
	return k
}

func (s *sum) drop(k *chunk) { s.bytes -= k.bytes }
