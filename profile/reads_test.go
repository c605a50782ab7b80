package profile_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

// read reads a file from memory; a header that can't be read ends the test.
func read(t testing.TB, file []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Read(bytes.NewReader(file), int64(len(file)), "demo.markgen")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// encoded is p as it comes back from a file.
func encoded(t testing.TB, p *profile.Profile) *profile.Profile {
	t.Helper()
	file, err := profile.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, file)
}

// named returns the marker of that name.
func named(t testing.TB, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %q", name)
	return nil
}

// timed makes a marker as it is after passages of these times.
func timed(t testing.TB, times []uint64) *profile.Marker {
	t.Helper()
	const text = "p\tp\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.F\n"
	p := read(t, profiletest.Run{Tables: []profiletest.Table{{Text: text, Times: map[int][]uint64{0: times}}}}.File())
	if len(p.Warnings) > 0 {
		t.Fatalf("%q", p.Warnings)
	}
	return &p.Markers[0]
}

// checkAny tests what holds of a profile however little sense its figures make.
func checkAny(t testing.TB, p *profile.Profile) {
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
