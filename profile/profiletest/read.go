package profiletest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// Load reads a file from memory. An unreadable header fails the test.
func Load(t testing.TB, file []byte) *profile.Profile {
	t.Helper()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "demo.markgen")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Encoded returns p after encoding and reading it.
func Encoded(t testing.TB, p *profile.Profile) *profile.Profile {
	t.Helper()
	file, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return Load(t, file)
}

// Named returns the marker with the name.
func Named(t testing.TB, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %q", name)
	return nil
}

// Timed returns a marker that has had calls with these times.
func Timed(t testing.TB, times []uint64) *profile.Marker {
	t.Helper()
	const text = "p\tp\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.F\n"
	p := Load(t, Run{Tables: []Table{{Text: text, Times: map[int][]uint64{0: times}}}}.File())
	if len(p.Warnings) > 0 {
		t.Fatalf("%q", p.Warnings)
	}
	return &p.Markers[0]
}

// CheckAny checks what must be true of any profile, even with implausible data.
func CheckAny(t testing.TB, p *profile.Profile) {
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Name == "" || m.Kind == "" || m.ID == 0 {
			t.Errorf("marker %+v", m)
		}
		for _, b := range m.Buckets {
			if b.Count == 0 || b.K > 63 {
				t.Errorf("%s: bucket %+v", m.Name, b)
			}
		}
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			lo, hi := m.QuantileBounds(q)
			if est := m.QuantileNS(q); !(lo <= est && est <= hi) {
				t.Errorf("%s: the %v-quantile %v is not within [%v, %v]", m.Name, q, est, lo, hi)
			}
		}
		if v := m.MeanNS() + m.StddevNS(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: mean %v, deviation %v", m.Name, m.MeanNS(), m.StddevNS())
		}
	}
}

// BlockAt returns the offset of the block number n of the kind, counted from 0.
func BlockAt(t testing.TB, file []byte, kind uint32, n int) int {
	t.Helper()
	for at := layout.HeaderSize; at < len(file); at += int(binary.LittleEndian.Uint64(file[at+layout.OffBlockSize:])) {
		if binary.LittleEndian.Uint32(file[at:]) == kind {
			if n == 0 {
				return at
			}
			n--
		}
	}
	t.Fatalf("no such block")
	return 0
}

// Check checks that a profile is consistent: sums equal the sums of buckets, buckets are sorted and
// have times within their bounds, and markers and blocks are sorted.
func Check(t testing.TB, p *profile.Profile) {
	t.Helper()
	for i, m := range p.Markers {
		if i > 0 && (p.Markers[i-1].Name > m.Name || p.Markers[i-1].ID == m.ID) {
			t.Errorf("markers %q, %q", p.Markers[i-1].Name, m.Name)
		}
		timed, total, squares := uint64(0), uint64(0), new(big.Int)
		for k, b := range m.Buckets {
			if k > 0 && m.Buckets[k-1].K >= b.K || b.Count == 0 {
				t.Errorf("%s: buckets %v", m.Name, m.Buckets)
			}
			if mean := float64(b.SumNS) / float64(b.Count); mean < float64(b.LoNS()) || mean >= float64(b.HiNS()) {
				t.Errorf("%s: bucket %v has the mean %v", m.Name, b, mean)
			}
			timed += b.Count
			total += b.SumNS
			squares.Add(squares, b.SumSq.Big())
		}
		if m.Timed() != timed || m.Count < timed || m.TotalNS() != total || m.SumSq().Big().Cmp(squares) != 0 {
			t.Errorf("%s: count %d, timed %d, total %d, squares %v; of the buckets %d, %d, %v",
				m.Name, m.Count, m.Timed(), m.TotalNS(), m.SumSq(), timed, total, squares)
		}
		if timed > 0 && (float64(m.MinNS) > m.MeanNS() || m.MeanNS() > float64(m.MaxNS)) {
			t.Errorf("%s: min %d, mean %v, max %d", m.Name, m.MinNS, m.MeanNS(), m.MaxNS)
		}
	}
}
