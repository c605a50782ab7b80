package runfile_test

import (
	"bytes"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// Version and processor are read from data files and survive profile files; sums join or mix those
// of several runs, in any order.
func TestBuildAndProcessor(t *testing.T) {
	read := func(r profiletest.Run) *profile.Profile {
		t.Helper()
		file := r.File()
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "run")
		if err != nil {
			t.Fatal(err)
		}
		if file, err = codec.Encode(p); err != nil {
			t.Fatal(err)
		}
		if p, err = runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "profile"); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for stored, want := range map[string]string{
		"":                        "",
		"AMD EPYC 7B13":           "AMD EPYC 7B13",
		"MIDR 0x00000000413fd0c1": "Arm Neoverse-N1",
		"MIDR 0x00000000c00fac30": "arm64 implementer 0xc0 part 0xac3",
		"MIDR what":               "MIDR what",
	} {
		if p := read(profiletest.Run{CPU: stored}); p.CPU != want {
			t.Errorf("%q: %q, want %q", stored, p.CPU, want)
		}
	}
	a := read(profiletest.Run{App: "a", CPU: "x", Main: "example.com/a", Version: "v1"})
	b := read(profiletest.Run{App: "b", CPU: "y", Main: "example.com/b", Version: "v2"})
	none := read(profiletest.Run{App: "c"})
	if a.Build() != "example.com/a@v1" || none.Build() != "c@" {
		t.Errorf("builds %q and %q", a.Build(), none.Build())
	}
	for _, p := range []*profile.Profile{
		profile.Merge([]*profile.Profile{a, none, b, a}),
		profile.Merge([]*profile.Profile{b, profile.Merge([]*profile.Profile{a, b}), none}),
	} {
		if p.CPU != "mixed" || p.Main != "example.com/a, example.com/b" || p.Version != "mixed" {
			t.Errorf("of several %q, %q at %q", p.CPU, p.Main, p.Version)
		}
	}
	if p := profile.Merge([]*profile.Profile{a, none, a}); p.CPU != "x" || p.Build() != "example.com/a@v1" {
		t.Errorf("of equals %q on %q", p.Build(), p.CPU)
	}
}
