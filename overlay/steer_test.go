//go:build linux

package overlay_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/tier"
)

// steer is the program of testdata/steer, marked.
var steer struct {
	once    sync.Once
	program string
	trouble string
}

func steered(t *testing.T) string {
	t.Helper()
	markgen := trapMarkgen(t)
	steer.once.Do(func() {
		dir, err := os.MkdirTemp("", "markgen-steer-")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, os.DirFS("testdata/steer")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/steer\n\ngo 1.26\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		steer.program = filepath.Join(dir, "steer")
		for _, args := range [][]string{{"init"}, {"build", "-o", steer.program, "."}, {"build", "-race", "-o", steer.program + "-race", "."},
			{"build", "-deep", "-all", "-o", steer.program + "-deep", "."}} {
			cmd := exec.Command(markgen, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOFLAGS="+tier.CachedFlags(), "GOWORK=off", "MARKGEN=")
			if out, err := cmd.CombinedOutput(); err != nil {
				steer.trouble = strings.Join(args, " ") + ": " + err.Error() + "\n" + string(out)
				return
			}
		}
	})
	if steer.trouble != "" {
		t.Fatal(steer.trouble)
	}
	return steer.program
}

// A steerRun is the result of a run of the program.
type steerRun struct {
	stdout, stderr string
	processor      time.Duration // user plus system time
	*profile.Profile
	dir string
}

// runSteered runs the program with MARKGEN set to markgen, or unset if that is "".
func runSteered(t *testing.T, markgen string, args ...string) steerRun {
	t.Helper()
	r := steerRun{dir: t.TempDir()}
	cmd := exec.Command(steered(t), args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "MARKGEN=")
	if markgen != "" {
		cmd.Env = append(os.Environ(), "MARKGEN=file=run.markgen,"+markgen)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	r.stdout, r.stderr = stdout.String(), stderr.String()
	r.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if markgen != "" {
		r.Profile = r.read(t, "run.markgen")
	}
	return r
}

func (r steerRun) read(t *testing.T, name string) *profile.Profile {
	t.Helper()
	p, err := runfile.Read(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Warnings {
		// The counts show the first; the second is of a machine with other load, which lengthens recording.
		if !strings.Contains(w, "nothing was collected: no start= came") && !strings.Contains(w, "are unreliable: recording took") {
			t.Error(w)
		}
	}
	return p
}

func marker(t *testing.T, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == "example.com/steer."+name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %s", name)
	return nil
}

// counts returns the counts of the executed markers.
func counts(p *profile.Profile) map[string]uint64 {
	m := map[string]uint64{}
	for _, marker := range p.Markers {
		if marker.Count > 0 {
			m[strings.TrimPrefix(marker.Name, "example.com/steer.")] = marker.Count
		}
	}
	return m
}

// changes returns the state changes of a run, with their causes.
func changes(p *profile.Profile) (list []string) {
	for _, c := range p.Changes {
		list = append(list, c.To+" by "+c.Cause)
	}
	return list
}

type n = map[string]uint64

// The program steers itself, and gets errors for forbidden transitions.
func TestStates(t *testing.T) {
	t.Parallel()
	r := runSteered(t, "", "states")
	want := `unconfigured <nil>
unconfigured Start: the run is unconfigured and cannot become profiling; set MARKGEN, or call Configure
unconfigured Resume: the run is unconfigured and cannot become profiling; set MARKGEN, or call Configure
unconfigured MARKGEN: key "nonsense": not a key; the keys are `
	if !strings.HasPrefix(r.stdout, want) {
		t.Errorf("%s", r.stdout)
	}
	_, rest, _ := strings.Cut(r.stdout, "nothing is collected\n")
	want = `configured <nil>
configured Configure: the run is configured and cannot become configured; Start begins to collect
profiling Start: the run is profiling and cannot become profiling; it can be paused or stopped
profiling Resume: the run is profiling and cannot become profiling; it can be paused or stopped
paused <nil>
paused Pause: the run is paused and cannot become paused; it can be resumed or stopped
profiling <nil>
stopped <nil>
stopped Pause: the run is stopped and cannot become paused; it can be configured anew
configured <nil>
profiling <nil>
stopped <nil>
configured <nil>
stopped <nil>
configured <nil>
profiling <nil>
stopped <nil>
unconfigured <nil>
unconfigured Stop: the run is unconfigured and cannot become stopped; set MARKGEN, or call Configure
`
	if rest != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, rest))
	}
	if diff := cmp.Diff(n{"a": 2}, counts(r.read(t, "first.markgen"))); diff != "" {
		t.Errorf("first: (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(n{"a": 7, "b": 1, "c": 5}, counts(r.read(t, "second.markgen"))); diff != "" {
		t.Errorf("second: (-want +got):\n%s", diff)
	}
	got := counts(r.read(t, "third.markgen"))
	if diff := cmp.Diff(n{"a": 3, "rare": 1, "again": 1}, got); diff != "" {
		t.Errorf("third: (-want +got):\n%s", diff)
	}
}

// A run with every= begins by itself, and starting it before or after that is no error; it is one
// after the run has ended.
func TestStartPeriodic(t *testing.T) {
	t.Parallel()
	want := regexp.MustCompile(`^(?:(?:configured|paused|profiling) <nil>\n){3}stopped <nil>\nstopped Start: the run is stopped and cannot become profiling; .*\n$`)
	for range 20 {
		if got := runSteered(t, "", "periodic").stdout; !want.MatchString(got) {
			t.Errorf("%s", got)
		}
	}
}

// A run requested by the environment can be followed by others.
func TestConfiguredAgain(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"collect=time", "noself", "clock=mono", "collect=time+trace", "sample=1:10", "only=*.a"} {
		r := runSteered(t, keys, "again")
		if diff := cmp.Diff(n{"a": 1}, counts(r.Profile)); diff != "" {
			t.Errorf("%s: first: (-want +got):\n%s", keys, diff)
		}
		for _, name := range []string{"again.markgen", "again.markgen.2"} {
			if diff := cmp.Diff(n{"a": 1, "b": 1, "c": 5}, counts(r.read(t, name))); diff != "" {
				t.Errorf("%s: %s: (-want +got):\n%s", keys, name, diff)
			}
		}
	}
}

func TestWatches(t *testing.T) {
	t.Parallel()
	r := runSteered(t, "", "watches")
	want := `unconfigured StopWatch "load": there is none of that name; start it first
unconfigured <nil>
unconfigured StartWatch "load": it runs already; stop it first
unconfigured <nil>
unconfigured StopWatch "load": it does not run; start it first
` + strings.Repeat("unconfigured <nil>\n", 6) + `unconfigured StartWatch "": it has no name; give it one
unconfigured <nil>
unconfigured <nil>
unconfigured StartWatch "` + strings.Repeat("long", 64) + `…": its name is longer than 256 bytes; give it a shorter one
`
	if r.stdout != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, r.stdout))
	}
	r = runSteered(t, "noself", "watches")
	if !slices.ContainsFunc(r.Markers, func(m profile.Marker) bool { return m.Name == "tab , line , byte \ufffd" }) {
		t.Error("no marker for the watch with a name of all kinds of bytes")
	}
	for i := range r.Markers {
		if m := &r.Markers[i]; m.Name == "load" {
			if m.Count != 4 || m.Kind != "region" || m.Line == 0 || !strings.HasSuffix(m.File, "main.go") {
				t.Errorf("%+v", m)
			}
			return
		}
	}
	t.Error("no marker for the watch")
}

// A program that creates a name for each stopwatch gets an error eventually.
func TestWatchNames(t *testing.T) {
	t.Parallel()
	want := `StartWatch "10000": there are 10000 stopwatches; give fewer names: what differs each time belongs in none` + "\n"
	if r := runSteered(t, "", "names"); r.stdout != "unconfigured "+want {
		t.Errorf("%q", r.stdout)
	}
	if r := runSteered(t, "noself", "names"); r.stdout != "profiling "+want || len(r.Markers) < 10_000 {
		t.Errorf("%q, and %d markers", r.stdout, len(r.Markers))
	}
}

// Stopwatches are in traces, also if another goroutine stops them; those running at the end are
// open.
func TestWatchesHanded(t *testing.T) {
	t.Parallel()
	type figures struct{ Count, Open uint64 }
	for _, keys := range []string{"collect=time", "collect=trace", "collect=time+trace", "noself"} {
		r := runSteered(t, keys, "handed")
		got := map[string]figures{}
		for i := range r.Markers {
			if m := &r.Markers[i]; m.Kind == "region" && !strings.Contains(m.Name, ".") {
				got[m.Name] = figures{m.Count, m.Open}
			}
		}
		want := map[string]figures{"whole": {0, 1}, "own": {20, 1}, "given": {20, 0}}
		if keys == "collect=trace" {
			want["own"], want["given"] = figures{0, 1}, figures{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", keys, diff)
		}
		if !strings.Contains(keys, "trace") {
			continue
		}
		tr, err := trace.Open(filepath.Join(r.dir, "run.markgen"))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		for name, unpaired := range map[string]uint64{"own": 1, "given": 0, "whole": 1} {
			var b trace.Between
			if b.From, b.To, err = trace.Endpoints(name, name, tr.Markers); err != nil {
				t.Fatal(err)
			}
			if err := b.Add(tr); err != nil {
				t.Fatal(err)
			}
			if b.Count != got[name].Count && keys != "collect=trace" || name != "whole" && b.Count != 20 || b.Unpaired != unpaired {
				t.Errorf("%s: %s: %d pairs, %d unpaired", keys, name, b.Count, b.Unpaired)
			}
		}
	}
}

// Waiting for a window, or for a state change, uses no CPU time.
func TestTimersSleep(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	for _, markgen := range []string{
		"sample=1:100", "sample=1:100,start=on:nobody", "sample=1:100,pause=on:*.work", "sample=1:2,start=on:nobody",
		"every=100ms:1ms", "start=after:10s", "sample=1:1000,every=100ms:1ms",
	} {
		if p := runSteered(t, markgen, "idle").processor; p > 300*time.Millisecond {
			t.Errorf("%s: a program that sleeps for a second takes %v of the processor", markgen, p)
		}
	}
}

// With callers, all scopes are known by caller; with adapt, those whose times differ by caller.
func TestCallers(t *testing.T) {
	t.Parallel()
	p := runSteered(t, "callers", "callers", "1000").Profile
	got := n{}
	for _, name := range []string{"shared", "same", "small"} {
		for _, c := range marker(t, p, name).Callers {
			got[name+" from "+strings.TrimPrefix(c.Name, "example.com/steer.")] = c.Count
		}
	}
	want := n{"shared from small": 1000, "shared from large": 1000, "same from small": 1000, "same from large": 1000, "shared from ": 1, "small from ": 1000}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	p = runSteered(t, "adapt", "callers", "20000").Profile
	callers := marker(t, p, "shared").Callers
	if len(callers) != 2 || callers[0].Count < 10_000 || callers[1].Count < 10_000 || callers[0].MeanNS() < 2*callers[1].MeanNS() {
		t.Errorf("shared: %+v", callers)
	}
	if more := marker(t, p, "small").Callers; more != nil {
		t.Errorf("small: %+v", more)
	}
	if shared := marker(t, p, "shared"); shared.Readings != nil || callers[0].Readings != nil {
		t.Errorf("shared: %+v", shared)
	}
	// An additional collector is read there, and nowhere else.
	p = runSteered(t, "adapt=io", "callers", "5000").Profile
	for _, c := range marker(t, p, "shared").Callers {
		if len(c.Readings) != 1 || c.Readings[0].Collector != "io" || c.Readings[0].Scopes+10 < c.Count {
			t.Errorf("shared under %s: %+v", c.Name, c.Readings)
		}
	}
	for _, name := range []string{"shared", "large", "small"} {
		if m := marker(t, p, name); m.Readings != nil {
			t.Errorf("%s: %+v", name, m.Readings)
		}
	}
}

// The race detector finds no races in steering.
func TestSteeredRaces(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	program := steered(t) + "-race"
	for _, keys := range []string{"collect=time", "sample=1:10", "callers,throttle=1000:1000", "start=on:*.b,pause=on:*.b", "every=10ms:3ms", "collect=time+trace"} {
		cmd := exec.Command(program, "busy")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "MARKGEN=file=run.markgen,"+keys)
		out, err := cmd.CombinedOutput()
		if len(out) > 0 || err != nil && cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("%s: %v\n%.2000s", keys, err, out)
		}
		p, err := runfile.Read(filepath.Join(cmd.Dir, "run.markgen"))
		if err != nil || len(p.Warnings) > 0 {
			t.Errorf("%s: %v, %q", keys, err, p.Warnings)
		}
	}
}

// A marker with enough samples, or called often for little time, becomes as cheap as an unmarked
// function again.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := runSteered(t, "enough=1000", "time", "500").Profile
	if m := marker(t, p, "work"); m.Off != "enough" || m.Count < 1000 {
		t.Errorf("%d scopes, %q", m.Count, m.Off)
	}
	p = runSteered(t, "throttle=5000:100000", "time", "300").Profile
	if m := marker(t, p, "a"); m.Off != "throttled" || m.Count < 5000 || m.Count > 6000 {
		t.Errorf("%d scopes, %q", m.Count, m.Off)
	}
}
