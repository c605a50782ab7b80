//go:build linux

package overlay_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/profile"
)

// Runs that follow each other while goroutines are in scopes are each whole, take nothing from the one before, and
// do not harm the program.
func TestRuns(t *testing.T) {
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "runs")
	trapMust(t, dir, nil, markgen, "init")
	for _, args := range [][]string{nil, {"-all"}, {"-race"}, {"-deep"}} {
		exe := filepath.Join(dir, "runs")
		for _, a := range args {
			exe += a
		}
		trapMust(t, dir, nil, markgen, append(append([]string{"build"}, args...), "-o", exe, ".")...)
		t.Run(filepath.Base(exe), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(exe, "180")
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != "done\n" {
				t.Fatalf("%v\n%.3000s", err, out)
			}
			files, err := filepath.Glob(filepath.Join(cmd.Dir, "*.markgen"))
			if err != nil || len(files) != 181 {
				t.Errorf("%d files, %v", len(files), err)
			}
			for _, name := range files {
				p, err := profile.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if !p.Complete || p.Damaged {
					t.Errorf("%s: complete %t, damaged %t, %s, %q", filepath.Base(name), p.Complete, p.Damaged, p.State, p.Warnings)
				}
				for _, m := range p.Markers {
					if filepath.Base(name) != "last.markgen" {
						continue
					}
					want := uint64(0)
					if m.Name == "example.com/runs.quiet" {
						want = 1000
					}
					switch m.Name {
					case "example.com/runs.quiet", "example.com/runs.session", "example.com/runs.work":
						if m.Count != want {
							t.Errorf("%s: count %d, want %d", m.Name, m.Count, want)
						}
					}
				}
			}
		})
	}
}
