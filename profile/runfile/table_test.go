package runfile_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// A packed table is equivalent to the plain one; a table that can't be unpacked is damage and
// nothing else.
func TestPackedTable(t *testing.T) {
	read := func(stored string) *profile.Profile {
		run := profiletest.Demo()
		run.Tables[0].Stored = stored
		file := run.File()
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := read(profiletest.DemoText)
	good := profiletest.Packed(profiletest.DemoText)
	if p := read(good); p.Damaged || !reflect.DeepEqual(plain.Markers, p.Markers) || len(p.Markers) == 0 {
		t.Errorf("damaged %v, %+v, want %+v", p.Damaged, p.Markers, plain.Markers)
	}
	for name, text := range map[string]string{
		"head":   good[:3],
		"cut":    good[:len(good)/2],
		"longer": good[:1] + "\x01\x00\x00\x00" + good[layout.SizePackedHead:],
		"bomb":   profiletest.Packed(strings.Repeat("m", 1<<20)),
		"names":  profiletest.Packed(strings.Repeat("m\tx\n", 500)),
		"noise":  good[:layout.SizePackedHead] + strings.Repeat("\xff", 100),
	} {
		p := read(text)
		if !p.Damaged || !strings.Contains(strings.Join(p.Warnings, "\n"), "a table that can't be read") {
			t.Errorf("%s: damaged %v, %q", name, p.Damaged, p.Warnings)
		}
	}
}

// A table of markers in the source has file names, and no line numbers.
func TestTableInSource(t *testing.T) {
	run := profiletest.Demo()
	run.Tables = []profiletest.Table{{
		Text: "p\ta\n\n\n\nm\t0000000000000001\tfunc\tlib/a.go\t-\t-\t-\t-\t-\t1\ta.F\nm\t0000000000000002\tloop\tb.go\t-\t-\t-\tc\tg\t10\ta.F:for#1\n\n\n\n",
	}}
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Markers) != 2 || p.Damaged {
		t.Fatalf("%d markers, damaged %v: %q", len(p.Markers), p.Damaged, p.Warnings)
	}
	got := fmt.Sprint(p.Markers[0].File, p.Markers[0].Line, p.Markers[0].Package, p.Markers[1].File, p.Markers[1].Line, p.Markers[1].Group)
	if want := fmt.Sprint("lib/a.go", 0, "a", "b.go", 0, "g"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
