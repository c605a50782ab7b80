package registry

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

func TestInModule(t *testing.T) {
	for _, tt := range []struct {
		name, path, dirs string // folders of the module that have a package; "." for the root
		packages, want   string // packages in the registry
	}{
		{"nothing changed", "example.com/m", ". a", "example.com/m example.com/m/a", "example.com/m example.com/m/a"},
		{"a package is gone", "example.com/m", ". x", "example.com/m example.com/m/a/x", "example.com/m example.com/m/a/x"},
		{"a major version", "example.com/m/v2", ". a a/b", "example.com/m example.com/m_test example.com/m/a example.com/m/a/b_test", "example.com/m/v2 example.com/m/v2_test example.com/m/v2/a example.com/m/v2/a/b_test"},
		{"back", "example.com/m", ". a", "example.com/m/v2 example.com/m/v2/a", "example.com/m example.com/m/a"},
		{"another host, the root has no markers", "other.org/u/n", ". internal/a internal/b", "example.com/m/internal/a example.com/m/internal/b", "other.org/u/n/internal/a other.org/u/n/internal/b"},
		{"one package, its name at the root, too", "other.org/n", ". a/b b", "example.com/m/a/b", "other.org/n/a/b"},
		{"one package is gone besides", "n", ". a", "m m/a m/gone", "n n/a n/gone"},
		{"nothing is known", "n", "", "m m/a", "m m/a"},
		{"the only package is renamed", "example.com/m", ". b", "example.com/m/a", "example.com/m/a"},
		{"no slash in it", "n", ".", "m", "n"},
		{"no markers", "n", ".", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("markgen registry 1\n")
			for i, p := range strings.Fields(tt.packages) {
				fmt.Fprintf(&text, "%016x live %s F func 1 5 - \"func ()\" 00000000000000aa\n", i+1, p)
			}
			r, err := Parse("r", []byte(text.String()))
			if err != nil {
				t.Fatal(err)
			}
			has := func(dir string) bool { return strings.Contains(" "+tt.dirs+" ", " "+cmp.Or(dir, ".")+" ") }
			moved := r.InModule(tt.path, has)
			want := map[string]bool{}
			for i, p := range strings.Fields(tt.want) {
				want[fmt.Sprintf("%016x %s", i+1, p)] = true
			}
			for _, e := range moved.Entries() {
				if line := fmt.Sprintf("%s %s", e.ID, e.Package); !want[line] {
					t.Errorf("%s", line)
				}
			}
			if len(moved.Entries()) != len(want) {
				t.Errorf("%d entries, want %d", len(moved.Entries()), len(want))
			}
			if again := moved.InModule(tt.path, has); string(again.Format()) != string(moved.Format()) {
				t.Errorf("it moves again:\n%s", again.Format())
			}
			if _, err := Parse("moved", moved.Format()); err != nil {
				t.Error(err)
			}
		})
	}
}
