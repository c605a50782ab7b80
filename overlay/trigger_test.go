//go:build linux

package overlay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/tier"
)

// The scope that starts or resumes a run is collected, and so is the one that pauses or stops it,
// but nothing in between.
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
		// The marker of a trigger is collected, whatever else is excluded.
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
			t.Errorf("%s, %s: scopes (-want +got):\n%s%q", test.markgen, test.args, diff, changes(p))
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

// In a deep build a scope left by Goexit ends with its goroutine, for triggers, too.
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
		t.Errorf("scopes (-want +got):\n%s%q", diff, changes(p))
	}
}

// Triggers count correctly on platforms that do not align 64-bit words.
func TestTriggersOn32Bits(t *testing.T) {
	need32Bits(t)
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
			t.Errorf("%s: scopes (-want +got):\n%s", markgen, diff)
		}
	}
}

// Stopwatches fire triggers as scopes do, and never turn them off.
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
			t.Errorf("%s: scopes (-want +got):\n%s%q", markgen, diff, changes(r.Profile))
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

// A trigger on a nonexistent marker is reported, and the program continues.
func TestTriggerOnNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nobody", "main.rare", "*.step"} { // *.step has counters only
		r := runSteered(t, "start=on:"+name, "phases")
		want := `markgen: MARKGEN: key "start": no timed marker has the name ` + name +
			", and no stopwatch yet; give a name that markgen list shows, or a glob such as *.parse\n"
		if r.stderr != want || len(counts(r.Profile)) != 0 {
			t.Errorf("%q, %v", r.stderr, counts(r.Profile))
		}
	}
}

// The values of a sampled function that only runs between windows are estimates, too: its count of
// 0 is not exact.
func TestNoWindow(t *testing.T) {
	t.Parallel()
	p := runSteered(t, "sample=1:100", "ending", "2000000").Profile
	for _, name := range []string{"ending", "ending:if#1.then"} {
		if m := marker(t, p, name); !m.Sampled() || m.Sample != 100 || m.CountSE() == 0 {
			t.Errorf("%s: %d ± %g scopes, of %d recorded, 1:%d", name, m.Count, m.CountSE(), m.Samples, m.Sample)
		}
	}
	if m := marker(t, p, "small"); m.Samples != 0 || m.Count != 0 {
		t.Errorf("of a function that was never reached %d scopes, of %d recorded", m.Count, m.Samples)
	}
}

// Triggers by time and by event work in the same run, and its data list their effects.
func TestTimerTriggers(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	all := runSteered(t, "collect=time", "time", "400").Profile
	for _, test := range []struct {
		markgen, changes string
		least            []uint64 // earliest times of the timers, in ms
	}{
		{"start=after:100ms", "profiling by timer, stopped by end", []uint64{100}},
		{"stop=after:100ms", "profiling by begin, stopped by timer", []uint64{100}},
		{"pause=after:50ms,resume=after:100ms", "profiling by begin, paused by timer, profiling by timer, paused by timer", []uint64{50, 150, 200}},
		{"start=on:*.work,pause=after:50ms", "profiling by event, paused by timer, profiling by event", []uint64{50}},
		{"every=100ms:20ms", "profiling by timer, paused by timer, profiling by timer, paused by timer", []uint64{0, 20, 100, 120}},
		{"start=on:*.a,every=100ms:20ms", ", paused by timer, profiling by timer, paused by timer", nil}, // the marker a may come late
	} {
		p := runSteered(t, test.markgen, "time", "400").Profile
		if got := strings.Join(changes(p), ", "); !strings.Contains(got, test.changes) {
			t.Errorf("%s: %s; want %s …", test.markgen, got, test.changes)
		}
		if some := marker(t, p, "work").Count; some == 0 {
			t.Errorf("%s: %d of about %d scopes", test.markgen, some, marker(t, all, "work").Count)
		}
		timed := 0
		for _, c := range p.Changes {
			if c.Cause == "timer" && timed < len(test.least) {
				if c.AtNS < test.least[timed]*1e6 {
					t.Errorf("%s: %v, which is due after %d ms", test.markgen, c, test.least[timed])
				}
				timed++
			}
		}
	}
}

// If goroutines wake up less often than every= requires, there are fewer and longer windows with
// the same total time.
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

// When the program pauses the run, later windows of every= do not resume it; only the program does.
func TestPausedBetweenWindows(t *testing.T) {
	t.Parallel()
	for _, markgen := range []string{"collect=time", "every=20ms:10ms", "every=31ms:30ms", "every=5ms:1ms", "start=on:*.request,every=20ms:10ms"} {
		p := runSteered(t, markgen, "quiet").Profile
		if m := marker(t, p, "b"); m.Count != 0 {
			t.Errorf("%s: %d scopes while the run was paused: %q", markgen, m.Count, changes(p))
		}
		for _, name := range []string{"a", "request"} {
			if m := marker(t, p, name); m.Count == 0 {
				t.Errorf("%s: no scopes of %s: %q", markgen, name, changes(p))
			}
		}
	}
}
