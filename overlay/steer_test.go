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
		source, err := os.ReadFile("testdata/steer/main.go")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{"go.mod": []byte("module example.com/steer\n\ngo 1.26\n"), "main.go": source}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		steer.program = filepath.Join(dir, "steer")
		for _, args := range [][]string{{"init"}, {"build", "-o", steer.program, "."}, {"build", "-race", "-o", steer.program + "-race", "."},
			{"build", "-deep", "-all", "-o", steer.program + "-deep", "."}} {
			cmd := exec.Command(markgen, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "MARKGEN=")
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

// steerRun is what a run of the program left.
type steerRun struct {
	stdout, stderr string
	processor      time.Duration // user's and system's
	*profile.Profile
	dir string
}

// runSteered runs the program with MARKGEN as given; without, it is unset.
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
	p, err := profile.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Warnings {
		t.Error(w)
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

// counts are the passages of markers that were passed.
func counts(p *profile.Profile) map[string]uint64 {
	m := map[string]uint64{}
	for _, marker := range p.Markers {
		if marker.Count > 0 {
			m[strings.TrimPrefix(marker.Name, "example.com/steer.")] = marker.Count
		}
	}
	return m
}

// changes are those of a run's state, with what caused them.
func changes(p *profile.Profile) (list []string) {
	for _, c := range p.Changes {
		list = append(list, c.To+" by "+c.Cause)
	}
	return list
}

type n = map[string]uint64

// What starts and resumes collects the passage that does so, what pauses and stops
// collects the one that does, and nothing of what lies between.
func TestEventTriggers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		markgen, args string
		want          n
		changes       string
	}{
		{"collect=time", "phases", n{"a": 30, "b": 3, "c": 15}, "profiling by begin, stopped by end"},
		{"start=on:*.b", "phases", n{"a": 20, "b": 3, "c": 15}, "profiling by event, stopped by end"},
		{"start=on:steer.b", "phases", n{"a": 20, "b": 3, "c": 15}, "profiling by event, stopped by end"},
		{"start=on:example.com/steer.b,stop=on:*.b", "phases", n{"b": 1, "c": 5}, "profiling by event, stopped by event"},
		{"pause=on:*.b", "phases", n{"a": 10, "b": 1, "c": 5}, "profiling by begin, paused by event, stopped by end"},
		{"start=on:*.b,pause=on:*.b", "phases", n{"b": 3, "c": 15},
			"profiling by event, paused by event, profiling by event, paused by event, profiling by event, paused by event, stopped by end"},
		{"pause=on:*.b,resume=on:*.a", "phases", n{"a": 30, "b": 3, "c": 15},
			"profiling by begin, paused by event, profiling by event, paused by event, profiling by event, paused by event, stopped by end"},
		{"start=count:*.a:5", "phases", n{"a": 26, "b": 3, "c": 15}, "profiling by event, stopped by end"},
		{"stop=count:*.a:5", "phases", n{"a": 5}, "profiling by begin, stopped by event"},
		{"pause=count:*.a:3,resume=count:*.a:4", "phases", n{"a": 15, "b": 0, "c": 0}, ""},
		{"stop=records:12", "phases", n{"a": 10, "c": 2}, "profiling by begin, stopped by event"},
		{"start=on:*:half", "point", n{"a": 5, "main:half": 1}, "profiling by event, stopped by end"},
		{"stop=on:*:half", "point", n{"a": 5, "main:half": 1}, "profiling by begin, stopped by event"},
		{"start=on:*.request,pause=on:*.request", "requests", n{"request": 20, "c": 40}, ""},
		{"collect=time", "directives", n{"a": 2}, "profiling by begin, paused by program, profiling by program, stopped by end"},
		// What a trigger is about is collected, whatever else is left out.
		{"start=on:*.b,pause=on:*.b,only=*.c", "phases", n{"b": 3, "c": 15}, ""},
		{"start=on:*.b,pause=on:*.b,skip=*.b", "phases", n{"b": 3, "c": 15}, ""},
		{"start=on:*.b,pause=on:*.b,sample=1:10,countdown", "phases", n{"b": 3, "c": 15}, ""},
		{"start=on:*.b,pause=on:*.b,throttle=1:1000000000", "phases", n{"b": 3, "c": 1}, ""},
		{"pause=count:*.a:3,resume=count:*.a:4,sample=1:10,countdown", "phases", n{"a": 15, "b": 0, "c": 0}, ""},
		{"start=on:*.b;on:*.c,stop=on:*.c", "phases", n{"c": 1}, ""},
	} {
		p := runSteered(t, test.markgen, test.args).Profile
		got := counts(p)
		for name, count := range test.want {
			if count == 0 {
				delete(test.want, name)
				delete(got, name)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %s: passages (-want +got):\n%s%q", test.markgen, test.args, diff, changes(p))
		}
		open := strings.Contains(test.markgen, "records") || strings.Contains(test.markgen, "on:*.c")
		if b := marker(t, p, "b"); open != (b.Open == 1) {
			t.Errorf("%s: %d scopes of b are open", test.markgen, b.Open)
		}
		if got := strings.Join(changes(p), ", "); test.changes != "" && got != test.changes {
			t.Errorf("%s, %s: %s; want %s", test.markgen, test.args, got, test.changes)
		}
	}
}

// In a deep build a scope that Goexit has left ends with its goroutine, for triggers, too.
func TestTriggersGoexit(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(steered(t)+"-deep", "goexit")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "MARKGEN=file=run.markgen,start=on:*.gone,pause=on:*.gone")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := steerRun{dir: cmd.Dir}.read(t, "run.markgen")
	if diff := cmp.Diff(n{"gone": 3, "c": 3}, counts(p)); diff != "" {
		t.Errorf("passages (-want +got):\n%s%q", diff, changes(p))
	}
}

// Triggers count where 64 bits are not aligned by themselves.
func TestTriggersOn32Bits(t *testing.T) {
	if !runs32Bits(t) {
		return
	}
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "steer")
	trapMust(t, filepath.Dir(steered(t)), []string{"GOARCH=386", "CGO_ENABLED=0"}, trapMarkgen(t), "build", "-o", exe, ".")
	for markgen, want := range map[string]n{
		"start=on:*.b,pause=on:*.b":            {"b": 3, "c": 15},
		"pause=count:*.a:3,resume=count:*.a:4": {"a": 15, "b": 1, "c": 5},
		"stop=records:12":                      {"a": 10, "c": 2},
		"start=count:*.a:5,stop=count:*.b:2":   {"a": 16, "b": 2, "c": 10},
	} {
		cmd := exec.Command(exe, "phases")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "MARKGEN=file=run.markgen,"+markgen)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", markgen, err, out)
			continue
		}
		if diff := cmp.Diff(want, counts(steerRun{dir: cmd.Dir}.read(t, "run.markgen"))); diff != "" {
			t.Errorf("%s: passages (-want +got):\n%s", markgen, diff)
		}
	}
}

// Stopwatches set triggers off as scopes do, and nothing turns them off: that could not be told.
func TestWatchTriggers(t *testing.T) {
	t.Parallel()
	for markgen, want := range map[string]n{
		"throttle=2:1000000000":                  {"job": 10, "a": 2, "c": 2},
		"start=on:job":                           {"job": 10, "a": 10, "c": 10},
		"start=count:job:4":                      {"job": 7, "a": 7, "c": 7},
		"start=on:job,pause=on:job":              {"job": 10, "a": 10},
		"pause=on:job":                           {"job": 1, "a": 1},
		"stop=count:job:3":                       {"job": 3, "a": 3, "c": 2},
		"pause=count:job:3,resume=count:job:2":   {"job": 8, "a": 8, "c": 6},
		"start=on:job,pause=on:job,clock=mono":   {"job": 10, "a": 10},
		"start=count:job:2,stop=on:job":          {"job": 1, "a": 1},
		"start=on:job,pause=on:job,sample=1:100": {"job": 10, "a": 10},
	} {
		r := runSteered(t, markgen, "jobs")
		if diff := cmp.Diff(want, counts(r.Profile)); diff != "" {
			t.Errorf("%s: passages (-want +got):\n%s%q", markgen, diff, changes(r.Profile))
		}
		for _, m := range r.Markers {
			if m.Name == "job" && m.Off != "" {
				t.Errorf("%s: the watch is off: %s", markgen, m.Off)
			}
		}
		if strings.Contains(r.stderr, "never") {
			t.Errorf("%s: %s", markgen, r.stderr)
		}
	}
}

// A trigger on a marker that there is not is told, and the program runs on.
func TestTriggerOnNothing(t *testing.T) {
	t.Parallel()
	r := runSteered(t, "start=on:nobody", "phases")
	const want = `markgen: MARKGEN: key "start": no marker has the name nobody, and no stopwatch yet; markgen list names markers` + "\n"
	if r.stderr != want || len(counts(r.Profile)) != 0 {
		t.Errorf("%q, %v", r.stderr, counts(r.Profile))
	}
	r = runSteered(t, "start=on:*.step", "period", "10")
	const counted = `markgen: MARKGEN: key "start": passages of *.step are only counted, which no trigger notices; //perf:mark has them timed; it never happens` + "\n"
	if r.stderr != counted {
		t.Errorf("%q", r.stderr)
	}
}

// What a function that is sampled does between windows only is an estimate, too: its count of
// nothing is no exact one.
func TestNoWindow(t *testing.T) {
	t.Parallel()
	p := runSteered(t, "sample=1:100", "ending", "2000000").Profile
	for _, name := range []string{"ending", "ending:if#1.then"} {
		if m := marker(t, p, name); !m.Sampled() || m.Sample != 100 || m.CountSE() == 0 {
			t.Errorf("%s: %d ± %g passages, of %d recorded, 1:%d", name, m.Count, m.CountSE(), m.Samples, m.Sample)
		}
	}
	if m := marker(t, p, "small"); m.Samples != 0 || m.Count != 0 {
		t.Errorf("of a function that was never passed %d passages, of %d recorded", m.Count, m.Samples)
	}
}

// Triggers by time and by events work in one run, and what they did is in its data.
func TestTimerTriggers(t *testing.T) {
	t.Parallel()
	all := runSteered(t, "collect=time", "time", "400").Profile
	for _, test := range []struct{ markgen, changes string }{
		{"start=after:100ms", "profiling by timer, stopped by end"},
		{"stop=after:100ms", "profiling by begin, stopped by timer"},
		{"pause=after:50ms,resume=after:100ms", "profiling by begin, paused by timer, profiling by timer, paused by timer"},
		{"start=on:*.work,pause=after:50ms", "profiling by event, paused by timer, profiling by event"},
		{"every=100ms:20ms", "profiling by timer, paused by timer, profiling by timer, paused by timer"},
		{"start=on:*.a,every=100ms:20ms", ", paused by timer, profiling by timer, paused by timer"},
	} {
		p := runSteered(t, test.markgen, "time", "400").Profile
		if got := strings.Join(changes(p), ", "); !strings.Contains(got, test.changes) {
			t.Errorf("%s: %s; want %s …", test.markgen, got, test.changes)
		}
		if some := marker(t, p, "work").Count; some == 0 {
			t.Errorf("%s: %d of about %d passages", test.markgen, some, marker(t, all, "work").Count)
		}
		for i, c := range p.Changes {
			if c.Cause == "timer" && i > 0 && c.AtNS-p.Changes[i-1].AtNS < 10e6 {
				t.Errorf("%s: %v right after %v", test.markgen, c, p.Changes[i-1])
			}
		}
	}
}

// Where no goroutine wakes up as often as every= asks for, there are fewer windows and they are longer: together they
// are as long as they are to be.
func TestShortPeriods(t *testing.T) {
	t.Parallel()
	for _, every := range []string{"1ms:100us", "10us:1us"} {
		p := runSteered(t, "every="+every, "time", "400").Profile
		sum, longest := uint64(0), uint64(0)
		for i, c := range p.Changes {
			if c.To == "profiling" && i+1 < len(p.Changes) {
				d := p.Changes[i+1].AtNS - c.AtNS
				sum, longest = sum+d, max(longest, d)
			}
		}
		if rest := sum - longest; rest == 0 || float64(rest) > 0.13*float64(p.ElapsedNS) {
			t.Errorf("every=%s: %d changes, windows of %d ns, and one of %d, in %d", every, len(p.Changes), rest, longest, p.ElapsedNS)
		}
	}
}

// What the program pauses stays so in the windows of every= that come, until it resumes.
func TestPausedBetweenWindows(t *testing.T) {
	t.Parallel()
	for _, markgen := range []string{"collect=time", "every=20ms:10ms", "every=31ms:30ms", "every=5ms:1ms", "start=on:*.request,every=20ms:10ms"} {
		p := runSteered(t, markgen, "quiet").Profile
		if m := marker(t, p, "b"); m.Count != 0 {
			t.Errorf("%s: %d passages while the run was paused: %q", markgen, m.Count, changes(p))
		}
		for _, name := range []string{"a", "request"} {
			if m := marker(t, p, name); m.Count == 0 {
				t.Errorf("%s: no passages of %s: %q", markgen, name, changes(p))
			}
		}
	}
}

// The program steers itself, and is told what is not allowed.
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

// A run with every= begins by itself, before anything is called or after it, which is no error; it is one once the run has ended.
func TestStartPeriodic(t *testing.T) {
	t.Parallel()
	want := regexp.MustCompile(`^(?:(?:configured|paused|profiling) <nil>\n){3}stopped <nil>\nstopped Start: the run is stopped and cannot become profiling; .*\n$`)
	for range 20 {
		if got := runSteered(t, "", "periodic").stdout; !want.MatchString(got) {
			t.Errorf("%s", got)
		}
	}
}

// A run that the environment asked for can be followed by others.
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

// What waits for the time of a window, or for the state to change, sleeps.
func TestTimersSleep(t *testing.T) {
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

// By caller all passages are known if that is asked for, and with adapt those
// whose times differ.
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
		t.Errorf("passages (-want +got):\n%s", diff)
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
	// An extra collector is read there, and nowhere else.
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

// Steering is not what the race detector finds.
func TestSteeredRaces(t *testing.T) {
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
		p, err := profile.ReadFile(filepath.Join(cmd.Dir, "run.markgen"))
		if err != nil || len(p.Warnings) > 0 {
			t.Errorf("%s: %v, %q", keys, err, p.Warnings)
		}
	}
}

// What has enough samples, or is called often for little time, goes back to being
// unmarked.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := runSteered(t, "enough=1000", "time", "500").Profile
	if m := marker(t, p, "work"); m.Off != "enough" || m.Count < 1000 {
		t.Errorf("%d passages, %q", m.Count, m.Off)
	}
	p = runSteered(t, "throttle=5000:100000", "time", "300").Profile
	if m := marker(t, p, "a"); m.Off != "throttled" || m.Count < 5000 || m.Count > 6000 {
		t.Errorf("%d passages, %q", m.Count, m.Off)
	}
}
