//go:build linux

package overlay_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// Consecutive runs, while goroutines are in scopes, are each complete, contain nothing of the
// previous one, and do not harm the program.
func TestRuns(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "runs")
	trapMust(t, dir, nil, markgen, "init")
	for i, args := range [][]string{nil, {"-deep"}, {"-all"}, {"-race"}} {
		if i > 1 && !tier.InCorpus() {
			break
		}
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
				p, err := runfile.Read(name)
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

// A program with many consecutive runs exhausts neither memory nor mappings: the mappings of runs
// that ended a while ago are removed.
func TestRunAfterRun(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "again")
	trapMust(t, dir, nil, markgen, "init")
	for _, args := range [][]string{nil, {"-deep"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			t.Parallel()
			exe := filepath.Join(t.TempDir(), "again")
			trapMust(t, dir, nil, markgen, slices.Concat([]string{"build"}, args, []string{"-o", exe, "."})...)
			cmd := exec.Command(exe)
			cmd.Dir = t.TempDir()
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			const pause = 11 * time.Second // longer than retireAfter
			var mappings []int
			// A leak is one or more mappings for each of the 30 runs; a few more come from the Go
			// runtime.
			more := func() bool { return mappings[len(mappings)-1] > mappings[1]+15 }
			for runs := 0; runs < 3 || runs < 4 && more(); runs++ { // adjacent empty regions are one mapping
				if runs > 1 {
					time.Sleep(pause)
				}
				fmt.Fprintln(in, "go on")
				n := 0
				if _, err := fmt.Fscanln(out, &n); err != nil {
					t.Fatal(err)
				}
				mappings = append(mappings, n)
			}
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if mappings[1] < mappings[0]+20 || more() {
				t.Errorf("the process has %d mappings after each 30 runs; want more for each run before the pause, and none for those behind it", mappings)
			}
			for i := range 30 * len(mappings) {
				p, err := runfile.Read(filepath.Join(cmd.Dir, fmt.Sprintf("run%d.markgen", i)))
				if err != nil || !p.Complete || len(p.Markers) != 1 || p.Markers[0].Count != 1 {
					t.Errorf("run %d: %+v, %v", i, p, err)
				}
			}
		})
	}
}
