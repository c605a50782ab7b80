//go:build amd64 || arm64

package overlay_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// A deepMarker is a marker of testdata/deep in a report.
type deepMarker struct {
	Name    string
	Count   uint64
	Open    uint64
	Buckets []struct {
		Sum uint64 `json:"sum_ns"`
	}
	Alloc struct {
		Scopes, Dropped uint64
		Bytes, Objects  deepValue
	}
	Readings map[string]struct {
		Scopes, Dropped uint64
		Values          map[string]deepValue
	}
}

type deepValue struct {
	Total, Self, Nested uint64
	Buckets             []deepBucket
	SelfBuckets         []deepBucket `json:"self_buckets"`
}

type deepBucket struct{ Count, Sum uint64 }

// deepProgram builds a program of testdata with -deep, in an environment, with additional flags of
// go build.
func deepProgram(t *testing.T, folder string, environ []string, flags ...string) string {
	t.Helper()
	dir := trapCopy(t, nil, folder)
	program := filepath.Join(dir, folder)
	trapMust(t, dir, environ, trapMarkgen(t), append(append([]string{"build", "-deep"}, flags...), "-o", program, ".")...)
	return program
}

// deepRun runs the program with a collector and returns its output, and the report by marker.
func deepRun(t *testing.T, program, collect string, args ...string) (stdout string, markers map[string]deepMarker) {
	t.Helper()
	dir := t.TempDir()
	r := trapRun(t, dir, []string{"MARKGEN=file=data,collect=" + collect}, program, args...)
	if r.state != "exit status 0" || r.stderr != "" {
		t.Fatalf("%s: %s\n%s", args, r.state, r.stderr)
	}
	var report struct{ Markers []deepMarker }
	text := trapMust(t, dir, nil, trapMarkgen(t), "report", "-format", "json", "data").stdout
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	markers = map[string]deepMarker{}
	for _, m := range report.Markers {
		_, name, _ := strings.Cut(m.Name, ".com/")
		_, name, _ = strings.Cut(name, ".")
		markers[name] = m
	}
	return r.stdout, markers
}

// checkDeep compares the readings with what the program prints, than which they may be smaller by
// the fraction off.
func checkDeep(t *testing.T, stdout string, markers map[string]deepMarker, off float64) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(stdout) {
		var name string
		var bytes, objects uint64
		if _, err := fmt.Sscan(line, &name, &bytes, &objects); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		lines++
		m := markers[name]
		within := func(got, want uint64) bool { return got >= want && float64(got-want) <= off*float64(want) }
		if a := m.Alloc; !within(a.Bytes.Total, bytes) || !within(a.Objects.Total, objects) {
			t.Errorf("%s: %d bytes in %d objects, want %d in %d", name, a.Bytes.Total, a.Objects.Total, bytes, objects)
		}
		if m.Count == 0 || m.Open != 0 || m.Alloc.Scopes != m.Count || m.Alloc.Dropped != 0 {
			t.Errorf("%s: %d scopes, %d of them open, %d read and %d not", name, m.Count, m.Open, m.Alloc.Scopes, m.Alloc.Dropped)
		}
		for what, v := range map[string]deepValue{"bytes": m.Alloc.Bytes, "objects": m.Alloc.Objects} {
			for sum, list := range map[uint64][]deepBucket{v.Total + v.Nested: v.Buckets, v.Self: v.SelfBuckets} {
				var in deepBucket
				for _, b := range list {
					in.Count, in.Sum = in.Count+b.Count, in.Sum+b.Sum
				}
				if in.Count != m.Count || in.Sum != sum {
					t.Errorf("%s, %s: buckets have %d scopes with %d, want %d with %d", name, what, in.Count, in.Sum, m.Count, sum)
				}
			}
		}
	}
	if lines == 0 {
		t.Error("the program was certain of nothing")
	}
}

// deepCalls are the cases in which the program compares with the process's own counts.
var deepCalls = []string{"nothing", "pointers", "tiny", "small", "header", "large", "growing", "map", "text", "boxed", "stack", "panic"}

// checkDeepAlloc checks that the allocations of scopes are exact to the byte and the object, in a
// program with one goroutine and in one with many.
func checkDeepAlloc(t *testing.T, program string, more ...string) {
	for _, what := range append(more, deepCalls...) {
		t.Run(what, func(t *testing.T) {
			stdout, markers := deepRun(t, program, "alloc", "exact", what)
			checkDeep(t, stdout, markers, 0)
		})
	}
	// When goroutines wait for each other, as they do on a busy machine, Go's runtime may allocate
	// a record for it (acquireSudog).
	for what, off := range map[string]float64{"goroutines": 0.001, "collected": 0.001, "goexit": 0, "coroutines": 0} {
		t.Run(what, func(t *testing.T) {
			stdout, markers := deepRun(t, program, "alloc", what)
			checkDeep(t, stdout, markers, off)
		})
	}
}

func TestDeepAlloc(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	program := deepProgram(t, "deep", nil)
	checkDeepAlloc(t, program)
	t.Run("allocs", func(t *testing.T) {
		want := trapMust(t, filepath.Dir(program), nil, "go", "run", ".", "allocs").stdout
		for _, collect := range []string{"", "MARKGEN=file=data,collect=alloc"} {
			if got := trapMust(t, filepath.Dir(program), []string{collect}, program, "allocs").stdout; got != want {
				t.Errorf("%s: AllocsPerRun differs\n%s", collect, trapDiff(got, want))
			}
		}
	})
}

func TestDeepWait(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	checkDeepWait(t, deepProgram(t, "deep", nil))
}

// checkDeepWait checks that wait times are known by reason, and add up to the time of the scope.
func checkDeepWait(t *testing.T, program string) {
	t.Helper()
	_, markers := deepRun(t, program, "wait", "wait")
	for name, value := range map[string]string{
		"sleep": "sleep_ns", "channel": "chan_ns", "mutex": "sync_ns", "group": "sync_ns", "pipe": "io_ns",
		"network": "io_ns", "spin": "", "scheduled": "sched_ns", "coroutine": "other_ns",
	} {
		const pause = 20e6
		m := markers[name]
		r := m.Readings["wait"]
		ns, sum := uint64(0), uint64(0)
		for _, b := range m.Buckets {
			ns += b.Sum
		}
		for _, v := range r.Values {
			sum += v.Total
		}
		if m.Count != 1 || r.Scopes != 1 || sum != ns {
			t.Errorf("%s: %d scopes of %d ns, %d read with %d ns", name, m.Count, ns, r.Scopes, sum)
		}
		// On a busy machine, part of the pause may elapse before the goroutine waits for its end;
		// in spin it runs meanwhile.
		waited, before := r.Values[value].Total, r.Values["run_ns"].Total
		if value != "sched_ns" {
			before += r.Values["sched_ns"].Total
		}
		if waited+before < pause*99/100 || value != "" && waited < pause/2 {
			t.Errorf("%s: waited %d ns (%s), and %d before", name, waited, value, before)
		}
	}
}

// A process of a deep build that is killed at any moment leaves readable data.
func TestDeepKilled(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	program := deepProgram(t, "deep", nil)
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		file := filepath.Join(t.TempDir(), "data")
		cmd := exec.Command(program, "wait")
		cmd.Env = append(os.Environ(), "MARKGEN=report=none,collect=time+alloc+wait,file="+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for { // until it has begun
			if p, err := runfile.Read(file); err == nil && len(p.Markers) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(150_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // that it was killed
		if p, err := runfile.Read(file); err != nil || p.Damaged || len(p.Markers) == 0 {
			t.Errorf("%v; %s, %d markers, %q", err, p.State, len(p.Markers), p.Warnings)
		}
	}
}

// TestDeepVariety is for make corpus: the same with other kinds of builds, each of which compiles
// the standard library.
func TestDeepVariety(t *testing.T) {
	tier.Corpus(t)
	for _, build := range []struct {
		name    string
		environ []string
		flags   []string
		more    []string // number of calls
	}{
		{name: "go1.25", environ: []string{"GOTOOLCHAIN=go1.25.4"}},
		{name: "race", flags: []string{"-race"}},
		{name: "cover", flags: []string{"-cover"}},
		{name: "all", flags: []string{"-all"}},
		{name: "guarded", flags: []string{"-form", "guarded"}},
		{name: "no inlining", flags: []string{"-gcflags=all=-l"}},
		{name: "arenas", environ: []string{"GOEXPERIMENT=arenas"}, more: []string{"arena"}},
		{name: "no function for each size", environ: []string{"GOEXPERIMENT=nosizespecializedmalloc"}},
	} {
		t.Run(build.name, func(t *testing.T) {
			program := deepProgram(t, "deep", build.environ, build.flags...)
			checkDeepAlloc(t, program, build.more...)
			if build.name != "all" { // in a loop that reads the clock, the cost of markers is subtracted
				checkDeepWait(t, program)
			}
		})
	}
	t.Run("cgo", func(t *testing.T) {
		stdout, markers := deepRun(t, deepProgram(t, "deepcgo", nil), "alloc")
		checkDeep(t, stdout, markers, 0)
	})
	for _, platform := range []string{"darwin/amd64", "darwin/arm64", "freebsd/amd64", "linux/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(platform, "/")
			deepProgram(t, "deep", []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"})
		})
	}
}
