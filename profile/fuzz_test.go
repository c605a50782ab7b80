package profile_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// FuzzRead: whatever bytes a file has, reading it ends without a panic, and
// what comes out holds what every profile does. The files are large for a
// fuzzer: run it with -fuzzminimizetime 20x, or it will do little else.
func FuzzRead(f *testing.F) {
	killed, big, short := demo(), demo(), demo()
	short.Tables[0].Stored = packed(f, demoText)
	killed.Killed = true
	big.Big = true
	for _, file := range [][]byte{demo().File(), killed.File(), big.File(), short.File(), demoRead().File(), paired().File(), demoWild().File(), demoSpread().File(), twoUnits(), profiletest.Seal(demo().File(), binary.LittleEndian), profiletest.Seal(big.File(), binary.BigEndian), nil, make([]byte, layout.HeaderSize)} {
		f.Add(file)
		f.Add(file[:len(file)*3/4])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := profile.Read(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			return
		}
		checkAny(t, p)
		if diff := cmp.Diff(p, encoded(t, p), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-read +kept and read)\n%s", diff)
		}
		sum := profile.Merge([]*profile.Profile{p, p})
		checkAny(t, sum)
		if len(sum.Markers) != len(p.Markers) || len(sum.Blocks) != len(p.Blocks) {
			t.Errorf("%d markers and %d blocks became %d and %d", len(p.Markers), len(p.Blocks), len(sum.Markers), len(sum.Blocks))
		}
	})
}

// checkAny tests what holds of a profile however little sense its figures make.
func checkAny(t *testing.T, p *profile.Profile) {
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

// FuzzTable: the text of a table comes from a program, which may have been
// written by anybody.
func FuzzTable(f *testing.F) {
	f.Add(demoText)
	f.Add("m\t\nf\t\np\t\nb\t\nc\t\n\n\t\n")
	f.Add(packed(f, demoText))
	f.Add(packed(f, demoText)[:40])
	f.Add("f\tx\nb\t0\t1\t1\t1\t1\t1\t1+2\nb\t0\t1\t1\t1\t1\t1\t0\nb\t0\t1\t1\t1\t1\t1\nb\t1\t1\t1\t1\t1\t1\nb\t-1\t1\t1\t1\t1\t1")
	f.Fuzz(func(t *testing.T, text string) {
		run := demo()
		run.Tables[0].Text = text
		run.Tables[0].Counters = nil
		file := run.File()
		p, err := profile.Read(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			t.Fatal(err)
		}
		checkAny(t, p)
	})
}
