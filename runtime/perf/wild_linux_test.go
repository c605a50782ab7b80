//go:build go1.26 && !markgen_off

package perf

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/markgen/markgen/runtime/internal/wild"
	"github.com/markgen/markgen/runtime/layout"
)

// demoFunctions are the functions in the demo that can be picked: those that are timed.
var demoFunctions = []string{"demo.main", "demo.work", "demo.add", "demo.leave", "demo.(*T).Never"}

// inWild is the demo with a directory for temporary files that other tests do not use.
func inWild(t *testing.T, temp, config string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := virtualForm.command(t, "collect=wild,file=data,"+config, args...)
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	return cmd
}

// A choice is the functions that one process picked, by name, with their probabilities.
type choice map[string]float64

// choiceOf reads the choice from the data of a process.
func choiceOf(t *testing.T, d *dataset) choice {
	t.Helper()
	if d.wild == 0 {
		t.Fatal("nothing of what was picked is in the data")
	}
	if refused := d.word(d.wild + layout.OffWildRefused); refused != layout.WildPicked {
		t.Fatalf("it declined, for reason %d", refused)
	}
	if of := d.word(d.wild + layout.OffWildOf); of != uint64(len(demoFunctions)) {
		t.Fatalf("picked of %d functions, want %d", of, len(demoFunctions))
	}
	names := map[uint64]string{firstNumber: "demo.main", firstNumber + 1: "demo.work", firstNumber + 3: "demo.add", firstNumber + 4: "demo.leave", firstNumber + 6: "demo.(*T).Never"}
	c := choice{}
	for i := range int(d.word(d.wild + layout.OffWildLen)) {
		at := d.wild + layout.OffWildData + i*layout.WildSize
		name := names[d.word(at+layout.WildMarker)]
		if name == "" {
			t.Fatalf("marker number %d was picked, which is no function", d.word(at+layout.WildMarker))
		}
		limit := d.word(at + layout.WildLimit)
		c[name] = 1
		if limit != layout.NoLimit {
			c[name] = -math.Expm1(-float64(limit) / (1 << 32) / float64(d.word(at+layout.WildRuns)+1))
		}
	}
	return c
}

// choices runs the demo with each of a number of seeds.
func choices(t *testing.T, runs int, config string) []choice {
	t.Helper()
	if os.Getenv("MARKGEN_TESTS") != "corpus" {
		runs /= 2
	}
	list := make([]choice, runs)
	temp := t.TempDir()
	cmds := make([]*exec.Cmd, runs)
	for i := range cmds {
		cmds[i] = inWild(t, temp, fmt.Sprintf("busy=1000000,seed=%d,%s", i+1, config), "work", "1")
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range next {
				if out, err := cmds[i].CombinedOutput(); err != nil || string(out) != "sum 20 true true\n" {
					t.Errorf("%v: %s", err, out)
				}
			}
		})
	}
	for i := range cmds {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, cmd := range cmds {
		list[i] = choiceOf(t, readData(t, filepath.Join(cmd.Dir, "data")))
	}
	return list
}

// chiSquare returns Pearson's chi-square statistic of the functions' pick counts, against the
// expected ones.
func chiSquare(list []choice, p map[string]float64) (sum float64) {
	for _, name := range demoFunctions {
		n := 0.0
		for _, c := range list {
			if c[name] > 0 {
				n++
			}
		}
		want := p[name] * float64(len(list))
		sum += (n - want) * (n - want) / want
	}
	return sum
}

// most99 is the 99th percentile of the chi-square distribution, with one degree of freedom less
// than there are functions.
const most99 = 13.28

// unbiased checks that the probabilities in the data are unbiased: over all runs, the expected sum
// of 1/p is the number of runs.
func unbiased(t *testing.T, list []choice) {
	t.Helper()
	for _, name := range demoFunctions {
		sum, variance := 0.0, 0.0
		for _, c := range list {
			if p := c[name]; p > 0 {
				sum += 1 / p
				variance += (1 - p) / p / p
			}
		}
		if n := float64(len(list)); math.Abs(sum-n) > 4*math.Sqrt(variance) {
			t.Errorf("%s stands for %.0f runs ± %.0f, of %.0f", name, sum, math.Sqrt(variance), n)
		}
	}
}

// All functions are picked equally often.
func TestPickedAlike(t *testing.T) {
	t.Parallel()
	native(t)
	list := choices(t, 500, "pick=2")
	p := map[string]float64{}
	for _, name := range demoFunctions {
		p[name] = 2. / 5
	}
	for i, c := range list {
		if len(c) != 2 {
			t.Fatalf("run %d picked %v", i, c)
		}
	}
	// Without replacement, the variance of the counts is smaller by the factor (N-K)/(N-1).
	if x := chiSquare(list, p) * 4 / 3; x > most99 {
		t.Errorf("chi square is %.1f", x)
	}
	unbiased(t, list)
}

// A function that was measured in three runs is picked a quarter as often as functions that were
// measured in none.
func TestPickedByWeight(t *testing.T) {
	t.Parallel()
	native(t)
	known := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(known, []byte("0000000000000004 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := choices(t, 500, "pick=1,known="+known)
	p := map[string]float64{}
	for _, name := range demoFunctions {
		p[name] = 4. / 17
	}
	p["demo.add"] = 1. / 17
	if x := chiSquare(list, p); x > most99 {
		t.Errorf("chi square is %.1f", x)
	}
	unbiased(t, list)
}

// Functions that share a stack are never picked together, and others are.
func TestPickedApart(t *testing.T) {
	t.Parallel()
	native(t)
	known := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(known, []byte("0000000000000002 conflicts 0000000000000001 0000000000000004\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := choices(t, 200, "pick=3,known="+known)
	both := map[string]int{}
	for _, c := range list {
		for a := range c {
			for b := range c {
				both[a+" "+b]++
			}
		}
	}
	for pair, want := range map[string]bool{"demo.work demo.main": false, "demo.work demo.add": false, "demo.main demo.add": true, "demo.work demo.leave": true} {
		if got := both[pair] > 0; got != want {
			t.Errorf("%s: picked together %d times of %d", pair, both[pair], len(list))
		}
	}
	unbiased(t, list)
}

// Everything at the picked functions is collected, and nothing else; with the same seed the picks
// are the same.
func TestCollectedAtPicked(t *testing.T) {
	t.Parallel()
	all := workCounts(4, map[string]uint64{"demo.tick": 3, "demo.pass": 3})
	temp := t.TempDir()
	for seed := range 10 {
		var before choice
		for range 2 {
			cmd := inWild(t, temp, fmt.Sprintf("busy=1000000,pick=2,seed=%d", seed+1), "work", "3")
			r := finish(t, cmd)
			d := r.data("data")
			c := choiceOf(t, d)
			want := map[string]uint64{}
			for name, n := range all {
				want[name] = 0
				if c[name] > 0 {
					want[name] = n
				}
			}
			got := d.counts()
			for name, n := range want {
				if got[name] != n {
					t.Errorf("seed %d picked %v: %s was passed %d times, want %d", seed+1, c, name, got[name], n)
				}
			}
			if before != nil && fmt.Sprint(before) != fmt.Sprint(c) {
				t.Errorf("seed %d picked %v, and then %v", seed+1, before, c)
			}
			before = c
		}
	}
}

// refused returns why a process declined.
func refused(t *testing.T, r *run) uint64 {
	t.Helper()
	if r.code != 0 || r.stdout != "sum 20 true false\n" || r.stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	d := r.data("data")
	if d.wild == 0 {
		t.Fatal("nothing of its decision is in the data")
	}
	if len(d.b) > 2*layout.HeaderSize || d.word(layout.OffState) != layout.StateStopped || len(d.counts()) > 0 {
		t.Errorf("%d bytes, state %d, markers %v", len(d.b), d.word(layout.OffState), d.counts())
	}
	return d.word(d.wild + layout.OffWildRefused)
}

// A process declines if the machine is busy, and its data say so.
func TestDeclinesBusy(t *testing.T) {
	t.Parallel()
	r := finish(t, inWild(t, t.TempDir(), "busy=0", "work", "1"))
	if why := refused(t, r); why != layout.WildLoaded {
		t.Errorf("it declined for reason %d", why)
	}
	if load := r.data("data").word(r.data("data").wild + layout.OffWildLoad); load > 1e6 {
		t.Errorf("load %d", load)
	}
}

// Six processes collect and the seventh declines, until one of them has ended, in whatever way.
func TestDeclinesSeventh(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	var running []*exec.Cmd
	for range wild.MaxProcesses {
		cmd := inWild(t, temp, "busy=1000000", "stay")
		untilReady(t, cmd)
		running = append(running, cmd)
	}
	if why := refused(t, finish(t, inWild(t, temp, "busy=1000000", "work", "1"))); why != layout.WildFull {
		t.Errorf("it declined for reason %d", why)
	}
	running[2].Process.Kill()
	running[2].Wait()
	r := finish(t, inWild(t, temp, "busy=1000000", "work", "1"))
	if c := choiceOf(t, r.data("data")); len(c) != 5 {
		t.Errorf("picked %v", c)
	}
}

// If the number of collecting processes cannot be found out, none collects; a directory of another
// user, or a link, is not used.
func TestDeclinesWithoutPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, fmt.Sprintf("markgen-wild-%d", os.Geteuid()))
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for _, temp := range []string{"/nonexistent", dir} {
		if why := refused(t, finish(t, inWild(t, temp, "busy=1000000", "work", "1"))); why != layout.WildNoPlace {
			t.Errorf("%s: it declined for reason %d", temp, why)
		}
	}
}

// Keys that have no meaning without collect=wild, and unreadable files, are errors.
func TestWildKeys(t *testing.T) {
	for config, want := range map[string]string{
		"pick=3":                  `"pick": is for collect=wild; give that, or leave it out`,
		"known=x,collect=time":    `"known": is for collect=wild; give that, or leave it out`,
		"busy=1":                  `"busy": is for collect=wild; give that, or leave it out`,
		"collect=wild,pick=0":     `"pick": cannot be 0; give a number of functions from 1 to 50`,
		"collect=wild,pick=51":    `"pick": cannot be 51; give a number of functions from 1 to 50`,
		"collect=wild,busy=much":  `"busy": cannot be much; give a load in percent of all processors`,
		"collect=wild,known=/dev": `"known": cannot be /dev: not a regular file`,
	} {
		r := virtualForm.run(t, config, "work", "1")
		if want = "markgen: MARKGEN: key " + want + "; nothing is collected\n"; r.stderr != want || r.code != 0 || len(r.files()) > 0 {
			t.Errorf("%s: %q, want %q; exit code %d, files %q", config, r.stderr, want, r.code, r.files())
		}
	}
}
