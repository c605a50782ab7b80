package runfile_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// FuzzRead checks that reading any bytes terminates without a panic and gives a valid profile. The
// files are large for a fuzzer: without -fuzzminimizetime 20x it mostly minimizes.
func FuzzRead(f *testing.F) {
	killed, big, short := profiletest.Demo(), profiletest.Demo(), profiletest.Demo()
	short.Tables[0].Stored = profiletest.Packed(profiletest.DemoText)
	killed.Killed = true
	limited := profiletest.DemoPathRun()
	limited.Values = nil
	big.Big = true
	for _, file := range [][]byte{profiletest.Demo().File(), killed.File(), big.File(), short.File(), profiletest.DemoRead().File(), profiletest.DemoProfile().File(), profiletest.DemoPairs().File(), profiletest.DemoPathRun().File(), limited.File(), profiletest.DemoWild().File(), profiletest.DemoSpread().File(), profiletest.TwoUnits(), profiletest.Seal(profiletest.Demo().File(), binary.LittleEndian), profiletest.Seal(big.File(), binary.BigEndian), nil, make([]byte, layout.HeaderSize)} {
		f.Add(file)
		f.Add(file[:len(file)*3/4])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			return
		}
		profiletest.CheckAny(t, p)
		if diff := cmp.Diff(p, profiletest.Encoded(t, p), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-read +kept and read)\n%s", diff)
		}
		sum := profile.Merge([]*profile.Profile{p, p})
		profiletest.CheckAny(t, sum)
		if len(sum.Markers) != len(p.Markers) || len(sum.Blocks) != len(p.Blocks) {
			t.Errorf("%d markers and %d blocks became %d and %d", len(p.Markers), len(p.Blocks), len(sum.Markers), len(sum.Blocks))
		}
	})
}

// FuzzTable checks the same for the text of a table, which is untrusted input, too.
func FuzzTable(f *testing.F) {
	f.Add(profiletest.DemoText)
	f.Add("m\t\nf\t\np\t\nb\t\nc\t\n\n\t\n")
	f.Add(profiletest.Packed(profiletest.DemoText))
	f.Add(profiletest.Packed(profiletest.DemoText)[:40])
	f.Add("f\tx\nb\t0\t1\t1\t1\t1\t1\t1+2\nb\t0\t1\t1\t1\t1\t1\t0\nb\t0\t1\t1\t1\t1\t1\nb\t1\t1\t1\t1\t1\t1\nb\t-1\t1\t1\t1\t1\t1")
	f.Fuzz(func(t *testing.T, text string) {
		run := profiletest.Demo()
		run.Tables[0].Text = text
		run.Tables[0].Counters = nil
		file := run.File()
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			t.Fatal(err)
		}
		profiletest.CheckAny(t, p)
	})
}
