package overlay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// The time of a marker's first scope in a process is known, for each way of marking; if it cannot
// be known, no other time is reported as the first.
func TestFirst(t *testing.T) {
	tier.Test(t)
	source, err := os.ReadFile("testdata/first/main.go")
	if err != nil {
		t.Fatal(err)
	}
	markgen := trapMarkgen(t)
	for i, tt := range []struct {
		name  string
		build [][]string // the program is named first
		keys  string
		known bool
	}{
		{"overlay", [][]string{{markgen, "build", "-o", "first", "."}}, "", true},
		{"race", [][]string{{markgen, "build", "-race", "-o", "first", "."}}, "", true},
		{"twin", [][]string{{markgen, "build", "-form", "twin", "-o", "first", "."}}, "", true},
		{"guarded", [][]string{{markgen, "build", "-form", "guarded", "-o", "first", "."}}, "", true},
		{"in place", [][]string{{markgen, "init", "-vendor"}, {markgen, "./..."}, {"go", "build", "-o", "first", "."}}, "", true},
		{"deep", [][]string{{markgen, "build", "-deep", "-o", "first", "."}}, "", true},
		{"callers", [][]string{{markgen, "build", "-o", "first", "."}}, ",callers", true},
		{"sampled in windows", [][]string{{markgen, "build", "-o", "first", "."}}, ",sample=1:10", true},
		{"sampled by counting", [][]string{{markgen, "build", "-o", "first", "."}}, ",sample=1:10,countdown", false},
		{"after a trigger", [][]string{{markgen, "build", "-o", "first", "."}}, ",start=on:first.one", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if i%2 > 0 {
				tier.Corpus(t)
			}
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string][]byte{"go.mod": []byte("module first\n\ngo 1.26\n"), "main.go": source} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, words := range tt.build {
				trapMust(t, dir, []string{"GOFLAGS=" + tier.CachedFlags(), "GOWORK=off", "MARKGEN="}, words[0], words[1:]...)
			}
			for _, args := range [][]string{nil, {"goroutine"}} {
				data := filepath.Join(dir, fmt.Sprint("data", len(args)))
				r := trapMust(t, dir, []string{"MARKGEN=file=" + data + tt.keys}, filepath.Join(dir, "first"), args...)
				p, err := runfile.Read(data)
				if err != nil || len(p.Warnings) > 0 && !strings.Contains(tt.keys, "sample") { // there may have been no window
					t.Fatalf("%v, %q", err, p.Warnings)
				}
				firsts := map[string]*profile.Firsts{}
				for i := range p.Markers {
					firsts[strings.TrimPrefix(p.Markers[i].Name, "first.")] = &p.Markers[i].First
				}
				for line := range strings.Lines(r.stdout) {
					var name string
					var least, most uint64
					if _, err := fmt.Sscan(line, &name, &least, &most); err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					f := firsts[name]
					switch {
					case f == nil:
						t.Errorf("there is no marker %s", name)
					case most == 0 || !tt.known:
						if f.Count() != 0 {
							t.Errorf("%s: %+v", name, f)
						}
					case f.Count() != 1 || f.MinNS != f.MaxNS || f.MinNS < least || f.MinNS > most:
						t.Errorf("%s: %+v, and it took from %d to %d ns", name, f, least, most)
					}
				}
			}
		})
	}
}
