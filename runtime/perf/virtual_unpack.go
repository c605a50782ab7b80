//go:build markgen_virtual && !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// Texts of tables may be packed, see layout.PackedText: programs with many
// markers would spend most of their start on copying them. They go to the data
// file as they are, and are unpacked here for who looks into them: only=, skip=
// and the report.

// unpack gives the plain text of a table, "" when there is none in it.
func unpack(text string) string {
	if len(text) < layout.SizePackedHead || text[0] > layout.PackedSampled {
		return text
	}
	size := uint64(0)
	for i := layout.SizePackedHead - 1; i > 0; i-- {
		size = size<<8 | uint64(text[i])
	}
	packed := text[layout.SizePackedHead:]
	if size > layout.MostPacked*uint64(len(packed)) {
		return ""
	}
	f := inflater{in: packed, out: make([]byte, 0, size)}
	if !f.inflate() || uint64(len(f.out)) != size {
		return ""
	}
	return string(f.out)
}

// An inflater reads DEFLATE data (RFC 1951), in the way of Mark Adler's puff.c:
// small, and fast enough for what is done once if at all. It never goes beyond
// the capacity of out.
type inflater struct {
	in   string
	out  []byte
	bits uint64 // read and not used, the next one lowest
	n    uint   // how many
	bad  bool
}

// take reads n bits, at most 16.
func (f *inflater) take(n uint) int {
	for f.n < n {
		if f.in == "" {
			f.bad = true
			return 0
		}
		f.bits |= uint64(f.in[0]) << f.n
		f.in = f.in[1:]
		f.n += 8
	}
	v := f.bits & (1<<n - 1)
	f.bits >>= n
	f.n -= n
	return int(v)
}

// A huffman is a code: how many words there are of each length, and the symbols
// in the order of their words.
type huffman struct {
	count  [16]int
	symbol [288]uint16
}

// set makes the code of the words' lengths; false: they are no code.
func (h *huffman) set(lengths []byte) bool {
	h.count = [16]int{}
	for _, n := range lengths {
		h.count[n]++
	}
	var next [16]int
	left := 1
	for n := 1; n < 16; n++ {
		if left = left*2 - h.count[n]; left < 0 {
			return false
		}
		if n < 15 {
			next[n+1] = next[n] + h.count[n]
		}
	}
	for s, n := range lengths {
		if n > 0 {
			h.symbol[next[n]] = uint16(s)
			next[n]++
		}
	}
	return true
}

// symbol reads one word.
func (f *inflater) symbol(h *huffman) int {
	code, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		code |= f.take(1)
		count := h.count[n]
		if code-count < first {
			if f.bad {
				return 0
			}
			return int(h.symbol[index+code-first])
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	f.bad = true
	return 0
}

func (f *inflater) inflate() bool {
	for !f.bad {
		last := f.take(1)
		switch f.take(2) {
		case 0:
			f.stored()
		case 1:
			f.fixed()
		case 2:
			f.dynamic()
		default:
			return false
		}
		if last == 1 {
			break
		}
	}
	return !f.bad
}

// stored copies a block as it is.
func (f *inflater) stored() {
	f.take(f.n % 8)
	n := f.take(16)
	if f.take(16) != n^0xffff || f.n > 0 || n > len(f.in) || n > cap(f.out)-len(f.out) {
		f.bad = true
		return
	}
	f.out = append(f.out, f.in[:n]...)
	f.in = f.in[n:]
}

func (f *inflater) fixed() {
	var lengths [288 + 30]byte
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		case i < 288:
			lengths[i] = 8
		default:
			lengths[i] = 5
		}
	}
	f.codes(lengths[:288], lengths[288:])
}

func (f *inflater) dynamic() {
	order := [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	literals, distances, n := f.take(5)+257, f.take(5)+1, f.take(4)+4
	var lengths [288 + 32]byte
	for _, i := range order[:n] {
		lengths[i] = byte(f.take(3))
	}
	var h huffman
	if f.bad || literals > 286 || !h.set(lengths[:19]) {
		f.bad = true
		return
	}
	clear(lengths[:19])
	for i := 0; i < literals+distances; {
		s, last, times := f.symbol(&h), byte(0), 1
		switch s {
		case 16:
			if i == 0 {
				f.bad = true
				return
			}
			last, times = lengths[i-1], 3+f.take(2)
		case 17:
			times = 3 + f.take(3)
		case 18:
			times = 11 + f.take(7)
		default:
			last = byte(s)
		}
		if f.bad || i+times > literals+distances {
			f.bad = true
			return
		}
		for range times {
			lengths[i] = last
			i++
		}
	}
	f.codes(lengths[:literals], lengths[literals:literals+distances])
}

// codes reads a block that is coded with words of these lengths.
func (f *inflater) codes(literals, distances []byte) {
	var lit, dist huffman
	if !lit.set(literals) || !dist.set(distances) {
		f.bad = true
		return
	}
	for !f.bad {
		s := f.symbol(&lit)
		switch {
		case f.bad || s == 256:
			return
		case s < 256:
			if len(f.out) == cap(f.out) {
				f.bad = true
				return
			}
			f.out = append(f.out, byte(s))
		default:
			n := f.length(s - 257)
			d := f.distance(f.symbol(&dist))
			if f.bad || d > len(f.out) || n > cap(f.out)-len(f.out) {
				f.bad = true
				return
			}
			for range n { // what is copied may be part of what is copied
				f.out = append(f.out, f.out[len(f.out)-d])
			}
		}
	}
}

// length is how much symbol 257+s copies.
func (f *inflater) length(s int) int {
	switch {
	case s < 8:
		return 3 + s
	case s == 28:
		return 258
	case s > 28:
		f.bad = true
		return 0
	}
	extra := uint(s/4 - 1)
	return 3 + (4+s%4)<<extra + f.take(extra)
}

// distance is how far back symbol s goes.
func (f *inflater) distance(s int) int {
	switch {
	case s < 2:
		return 1 + s
	case s > 29:
		f.bad = true
		return 0
	}
	extra := uint(s/2 - 1)
	return 1 + (2+s%2)<<extra + f.take(extra)
}
