//go:build linux

package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// Blocks are counted exactly in long-running and short goroutines, on stacks that grow and stacks
// that are reused. If several runs follow each other meanwhile, no scope is counted in two runs:
// all runs together have no more counts than there were, and the last run, started when nothing
// else runs, has all of its own.
func TestTallies(t *testing.T) {
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "tally")
	trapMust(t, dir, nil, markgen, "init")
	source, err := os.ReadFile(filepath.Join(dir, "lib", "lib.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-cover", "-race"} {
		if flag == "-race" && !tier.InCorpus() {
			break
		}
		exe := filepath.Join(dir, "tally"+flag)
		args := []string{"build", "-cover", "-o", exe, "."}
		if flag != "-cover" {
			args = append([]string{"build", flag}, args[1:]...)
		}
		trapMust(t, dir, nil, markgen, args...)
		for _, runs := range []int{1, 6} {
			t.Run(fmt.Sprint(runs, flag), func(t *testing.T) {
				t.Parallel()
				at := t.TempDir()
				cmd := exec.Command(exe, fmt.Sprint(runs))
				cmd.Dir, cmd.Env = at, append(os.Environ(), "MARKGEN=file=run1.markgen")
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
				}
				var sums, last [3]uint64 // counts of the blocks named deep, leaf and loop in the source
				for run := 1; run <= runs; run++ {
					p, err := runfile.Read(filepath.Join(at, fmt.Sprintf("run%d.markgen", run)))
					if err != nil {
						t.Fatal(err)
					}
					for _, w := range p.Warnings {
						t.Errorf("run %d: %s", run, w)
					}
					for i, name := range []string{"deep", "leaf", "loop"} {
						last[i] = blockCount(t, p, string(source), name)
						sums[i] += last[i]
					}
				}
				told := strings.Split(strings.TrimSpace(string(out)), "\n")
				if want := strings.Trim(fmt.Sprint(last), "[]"); told[len(told)-1] != want {
					t.Errorf("the last run has %s, there were %s", want, told[len(told)-1])
				}
				var all [3]uint64
				for _, line := range told {
					var n [3]uint64
					if _, err := fmt.Sscan(line, &n[0], &n[1], &n[2]); err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					for i := range n {
						all[i] += n[i]
					}
				}
				for i := range all {
					if sums[i] > all[i] || runs == 1 && sums[i] != all[i] || sums[i] < all[i]/2 {
						t.Errorf("all runs have %d, there were %d", sums, all)
					}
				}
			})
		}
	}
}

// blockCount returns the count of the block with a line that ends in comment.
func blockCount(t *testing.T, p *profile.Profile, source, comment string) uint64 {
	t.Helper()
	before, _, _ := strings.Cut(source, " // "+comment+"\n")
	line := 1 + strings.Count(before, "\n")
	for _, b := range p.Blocks {
		if b.StartLine <= line && line <= b.EndLine && strings.HasSuffix(b.File, "/lib.go") {
			return b.Count
		}
	}
	t.Fatalf("no block at %s, line %d", comment, line)
	return 0
}
