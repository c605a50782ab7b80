// Package inflate reads DEFLATE data (RFC 1951), in the way of Mark Adler's puff.c: small, and fast enough
// for what is done once if at all. Only overlay builds use it.
//
//	text, ok := inflate.Inflate(data, size)
package inflate

// Inflate gives the text that data is packed of; false: it is damaged, or the text has not size bytes. It
// allocates about twice that whatever is in data, so the caller is to see whether size is likely.
func Inflate(data string, size int) (text string, ok bool) {
	r := reader{in: data, out: make([]byte, 0, size)}
	if !r.blocks() || len(r.out) != size {
		return "", false
	}
	return string(r.out), true
}

// A reader reads one text. It never goes beyond the capacity of out.
type reader struct {
	in   string
	out  []byte
	bits uint64 // read and not used, the next one lowest
	n    uint   // how many
	bad  bool
}

// take reads n bits, at most 16.
func (r *reader) take(n uint) int {
	for r.n < n {
		if r.in == "" {
			r.bad = true
			return 0
		}
		r.bits |= uint64(r.in[0]) << r.n
		r.in = r.in[1:]
		r.n += 8
	}
	v := r.bits & (1<<n - 1)
	r.bits >>= n
	r.n -= n
	return int(v)
}

// A code is a Huffman code: how many codewords there are of each length, and the symbols
// in the order of their codewords.
type code struct {
	count  [16]int
	symbol [288]uint16
}

// set makes the code whose codewords have these lengths; false: there is none.
func (c *code) set(lengths []byte) bool {
	c.count = [16]int{}
	for _, n := range lengths {
		c.count[n]++
	}
	var next [16]int
	left := 1
	for n := 1; n < 16; n++ {
		if left = left*2 - c.count[n]; left < 0 {
			return false
		}
		if n < 15 {
			next[n+1] = next[n] + c.count[n]
		}
	}
	for s, n := range lengths {
		if n > 0 {
			c.symbol[next[n]] = uint16(s)
			next[n]++
		}
	}
	return true
}

// symbol reads one codeword.
func (r *reader) symbol(c *code) int {
	word, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		word |= r.take(1)
		count := c.count[n]
		if word-count < first {
			if r.bad {
				return 0
			}
			return int(c.symbol[index+word-first])
		}
		index += count
		first = (first + count) << 1
		word <<= 1
	}
	r.bad = true
	return 0
}

// blocks reads all blocks; false: they are damaged.
func (r *reader) blocks() bool {
	for !r.bad {
		last := r.take(1)
		switch r.take(2) {
		case 0:
			r.stored()
		case 1:
			r.fixed()
		case 2:
			r.dynamic()
		default:
			return false
		}
		if last == 1 {
			break
		}
	}
	return !r.bad
}

// stored copies a block as it is.
func (r *reader) stored() {
	r.take(r.n % 8)
	n := r.take(16)
	if r.take(16) != n^0xffff || r.n > 0 || n > len(r.in) || n > cap(r.out)-len(r.out) {
		r.bad = true
		return
	}
	r.out = append(r.out, r.in[:n]...)
	r.in = r.in[n:]
}

func (r *reader) fixed() {
	var lengths [288 + 30]byte
	i := 0
	for _, part := range [...]struct{ to, length int }{{144, 8}, {256, 9}, {280, 7}, {288, 8}, {288 + 30, 5}} {
		for ; i < part.to; i++ {
			lengths[i] = byte(part.length)
		}
	}
	r.codes(lengths[:288], lengths[288:])
}

func (r *reader) dynamic() {
	order := [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	literals, distances, n := r.take(5)+257, r.take(5)+1, r.take(4)+4
	var lengths [288 + 32]byte
	for _, i := range order[:n] {
		lengths[i] = byte(r.take(3))
	}
	var lengthCode code
	if r.bad || literals > 286 || !lengthCode.set(lengths[:19]) {
		r.bad = true
		return
	}
	clear(lengths[:19])
	for i := 0; i < literals+distances; {
		s, last, times := r.symbol(&lengthCode), byte(0), 1
		switch s {
		case 16:
			if i == 0 {
				r.bad = true
				return
			}
			last, times = lengths[i-1], 3+r.take(2)
		case 17:
			times = 3 + r.take(3)
		case 18:
			times = 11 + r.take(7)
		default:
			last = byte(s)
		}
		if r.bad || i+times > literals+distances {
			r.bad = true
			return
		}
		for range times {
			lengths[i] = last
			i++
		}
	}
	r.codes(lengths[:literals], lengths[literals:literals+distances])
}

// codes reads a block whose codewords have these lengths.
func (r *reader) codes(literals, distances []byte) {
	var lit, dist code
	if !lit.set(literals) || !dist.set(distances) {
		r.bad = true
		return
	}
	for !r.bad {
		s := r.symbol(&lit)
		switch {
		case r.bad || s == 256:
			return
		case s < 256:
			if len(r.out) == cap(r.out) {
				r.bad = true
				return
			}
			r.out = append(r.out, byte(s))
		default:
			n := 258
			if s != 285 {
				n = 3 + r.number(s-257, 4)
			}
			far := r.symbol(&dist)
			d := 1 + r.number(far, 2)
			if r.bad || s > 285 || far > 29 || d > len(r.out) || n > cap(r.out)-len(r.out) {
				r.bad = true
				return
			}
			for range n { // what is copied may be part of what is copied
				r.out = append(r.out, r.out[len(r.out)-d])
			}
		}
	}
}

// number is what symbol s stands for, with the bits behind its codeword: the first 2·each symbols
// have none, and each so many more have one bit more (RFC 1951, 3.2.5).
func (r *reader) number(s, each int) int {
	if s < 2*each {
		return s
	}
	extra := uint(s/each - 1)
	return (each+s%each)<<extra + r.take(extra)
}
