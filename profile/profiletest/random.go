package profiletest

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Random returns a profile of one run with n markers and plausible data. The same n and seed give
// the same profile. The markers are functions, loops, branches and points; some have no calls, one
// call or millions, some only count, and some have callers.
func Random(n int, seed uint64) *profile.Profile {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	p := &profile.Profile{
		App:       "shop",
		Run:       "20260301-120000.4711",
		Runs:      1,
		Start:     time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		ElapsedNS: 90e9,
		Clock:     profile.Clock{Kind: "tsc", Hz: 2.7e9, QuantumNS: 0.74, ReadNS: 9.9, InsideNS: 13, WholeNS: 27},
		GOOS:      "linux",
		GOARCH:    "amd64",
		Go:        "go1.26.8",
		State:     "stopped",
		Complete:  true,
		Markers:   make([]profile.Marker, n),
	}
	for i := range p.Markers {
		p.Markers[i] = marker(r, i)
	}
	for i := range p.Markers {
		if m := &p.Markers[i]; i > 1 && i%50 == 0 && m.Count > 1 {
			callers(m, &p.Markers[i-1], &p.Markers[i-2])
		}
	}
	return p
}

// marker returns the i-th marker. Names ascend with i.
func marker(r *rand.Rand, i int) profile.Marker {
	fn := fmt.Sprintf("example.com/shop/part%03d.(*Store).Item%05d", i/400, i/4)
	m := profile.Marker{
		ID:      registry.ID(r.Uint64()),
		Package: fmt.Sprintf("example.com/shop/part%03d", i/400),
		File:    fmt.Sprintf("part%03d/store%02d.go", i/400, i/40%10),
		Line:    10 + i%40*7,
		Guess:   i%13 == 3,
		Col:     1,
	}
	switch i % 4 {
	case 0:
		m.Kind, m.Name = "func", fn
	case 1:
		m.Kind, m.Name = "loop", fn+":for#1"
	case 2:
		m.Kind, m.Name = "branch", fn+":if#1.then"
	case 3:
		m.Kind, m.Name, m.CountOnly = "point", fn+":point#1", true
	}
	if i%11 == 10 {
		return m
	}
	m.Runs, m.Count = 1, uint64(math.Exp(min(r.ExpFloat64()*4, 25)))
	m.FollowsCall = i%5 == 2
	if m.CountOnly {
		return m
	}
	// Draw a few times and repeat each of them.
	const drawn = 200
	typical := math.Exp(3 + r.Float64()*12)
	width := 0.05 + r.Float64()
	each, more := m.Count/drawn, m.Count%drawn
	buckets := map[uint8]*profile.Bucket{}
	m.MinNS = math.MaxUint64
	for k := range uint64(drawn) {
		n := each
		if k < more {
			n++
		}
		if n == 0 {
			break
		}
		ns := uint64(typical * math.Exp(width*r.NormFloat64()))
		m.MinNS, m.MaxNS = min(m.MinNS, ns), max(m.MaxNS, ns)
		b := uint8(max(bits.Len64(ns), 1) - 1)
		if buckets[b] == nil {
			buckets[b] = &profile.Bucket{K: b}
		}
		buckets[b].Count += n
		buckets[b].SumNS += n * ns
		hi, lo := bits.Mul64(n*ns, ns)
		buckets[b].SumSq = buckets[b].SumSq.Add(profile.Uint128{Hi: hi, Lo: lo})
		m.SelfNS += n * ns / 2
	}
	for k := range uint8(64) {
		if b := buckets[k]; b != nil {
			m.Buckets = append(m.Buckets, *b)
		}
	}
	m.Ticks = uint64(float64(m.SumNS()) * 2.7)
	return m
}

// callers splits the data of m between two callers.
func callers(m, a, b *profile.Marker) {
	rest := *m
	rest.Buckets = rest.Buckets[:len(rest.Buckets)-1]
	top := *m
	top.Buckets = m.Buckets[len(m.Buckets)-1:]
	for i, part := range []*profile.Marker{&rest, &top} {
		from := []*profile.Marker{a, b}[i]
		if len(part.Buckets) == 0 {
			continue
		}
		part.Count = part.Timed()
		part.SelfNS = part.SumNS() / 2
		part.MinNS = max(m.MinNS, part.Buckets[0].LoNS())
		part.MaxNS = min(m.MaxNS, part.Buckets[len(part.Buckets)-1].HiNS()-1)
		m.Callers = append(m.Callers, profile.Caller{ID: from.ID, Name: from.Name, Marker: *part})
	}
	m.SelfNS = 0
	for i := range m.Callers {
		c := &m.Callers[i]
		c.Marker.ID, c.Marker.Name, c.Marker.File, c.Marker.Callers = 0, "", "", nil
		m.SelfNS += c.SelfNS
	}
}
