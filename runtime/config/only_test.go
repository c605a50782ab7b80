package config

import (
	"slices"
	"testing"
)

func TestOnly(t *testing.T) {
	o := ParseOnly("00000000000000a2\r\nfedcba9876543210\n\np.F*\n0000000000000001\nnot an ID either\n")
	for id, want := range map[string]bool{
		"00000000000000a2": true, "fedcba9876543210": true, "0000000000000001": true,
		"00000000000000a1": false, "FEDCBA9876543210": false, "": false, "p.F*": false,
	} {
		if o.Has(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
	if !o.Given || o.Globs != "p.F*;not an ID either;" {
		t.Errorf("globs %q", o.Globs)
	}
}

func FuzzOnly(f *testing.F) {
	f.Add("00000000000000a2\np.*\n", "00000000000000a2")
	f.Fuzz(func(t *testing.T, text, id string) {
		o := ParseOnly(text)
		if !slices.IsSorted(o.ids) {
			t.Error("not sorted")
		}
		if o.Has(id) && len(id) != 16 {
			t.Errorf("%q is an ID", id)
		}
	})
}
