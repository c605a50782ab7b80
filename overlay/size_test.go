package overlay_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// Every scope with a size is in the bucket of that size, on any number of goroutines, and for each
// way of marking.
func TestSizes(t *testing.T) {
	source, err := os.ReadFile("testdata/size/main.go")
	if err != nil {
		t.Fatal(err)
	}
	markgen := trapMarkgen(t)
	for i, tt := range []struct {
		name  string
		build [][]string // the program is named size
		keys  string

		without string // text that is removed from the source
	}{
		{"overlay", [][]string{{markgen, "build", "-o", "size", "."}}, "", ""},
		{"race", [][]string{{markgen, "build", "-race", "-o", "size", "."}}, "", ""},
		{"guarded", [][]string{{markgen, "build", "-form", "guarded", "-o", "size", "."}}, "", ""},
		{"all", [][]string{{markgen, "build", "-all", "-o", "size", "."}}, "", ""},
		{"arguments", [][]string{{markgen, "build", "-sizes", "-o", "size", "."}}, "", " size=len(s)"},
		{"no self times", [][]string{{markgen, "build", "-o", "size", "."}}, ",noself", ""},
		{"in place", [][]string{{markgen, "init", "-vendor"}, {markgen, "./..."}, {"go", "build", "-o", "size", "."}}, "", ""},
	} {
		source := bytes.Replace(source, []byte(tt.without), nil, 1)
		t.Run(tt.name, func(t *testing.T) {
			if i%2 > 0 {
				tier.Corpus(t)
			}
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string][]byte{"go.mod": []byte("module example.com/size\n\ngo 1.26\n"), "main.go": source} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, words := range tt.build {
				trapMust(t, dir, []string{"GOFLAGS=" + tier.CachedFlags(), "GOWORK=off", "MARKGEN="}, words[0], words[1:]...)
			}
			for _, args := range [][]string{nil, {"many"}} {
				data := filepath.Join(dir, fmt.Sprint("data", len(args)))
				r := trapMust(t, dir, []string{"MARKGEN=file=" + data + tt.keys}, filepath.Join(dir, "size"), args...)
				p, err := runfile.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				want := strings.Split(strings.TrimSpace(r.stdout), "\n")
				slices.Sort(want)
				if diff := cmp.Diff(want, sizes(t, p)); diff != "" || len(p.Warnings) > 0 {
					t.Errorf("%v, %q (-want +got)\n%s", args, p.Warnings, diff)
				}
			}
		})
	}
}

// sizes returns the lines that the program should print, according to its data.
func sizes(t *testing.T, p *profile.Profile) (lines []string) {
	for i := range p.Markers {
		m := &p.Markers[i]
		sized, total := uint64(0), uint64(0)
		for _, b := range m.Sizes {
			lines = append(lines, fmt.Sprintf("%s %d %d %v", strings.TrimPrefix(m.Name, "example.com/size."), b.K, b.Count, b.SumSize))
			if mean := b.MeanSize(); mean < float64(b.LoSize()) || mean >= float64(b.HiSize()) {
				t.Errorf("%s: a mean of %v from %d to %d", m.Name, mean, b.LoSize(), b.HiSize())
			}
			sized += b.Count
			total += b.SumNS
		}
		if sized > 0 && m.Name != "example.com/size.below" && (sized != m.Count || total != m.SumNS()) {
			t.Errorf("%s: %d of %d scopes have sizes, they took %d of %d ns", m.Name, sized, m.Count, total, m.SumNS())
		}
	}
	slices.Sort(lines)
	return lines
}
