//go:build !markgen_off

package perf

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/layout"
)

// workCounts is the expected result of calling work(10) n times.
func workCounts(n uint64, more map[string]uint64) map[string]uint64 {
	all := map[string]uint64{
		"demo.main": 1, "demo.work": n, "demo.work:for#1": 10 * n, "demo.add": 5*n + 1, "demo.counted": 5 * n,
		"demo.leave": 0, "demo.tick": 0, "demo.(*T).Never": 0, "demo.pass": 0, "demo.uncounted": 0,
	}
	maps.Copy(all, more)
	return all
}

// However a program ends, its file is complete up to that point. exit is the program's own exit
// code.
func TestWaysToEnd(t *testing.T) {
	for _, tt := range []struct {
		args    []string
		exit    int
		stopped bool // the end of the program was noticed
		want    map[string]uint64
		stderr  string
	}{
		{[]string{"work", "3"}, 0, true, workCounts(4, map[string]uint64{"demo.tick": 3, "demo.pass": 3}), ""},
		{[]string{"panic"}, 2, false, workCounts(1, map[string]uint64{"demo.leave": 1}), "panic: out"},
		{[]string{"recovered"}, 0, true, workCounts(1, map[string]uint64{"demo.leave": 1}), ""},
		{[]string{"goexit"}, 0, true, workCounts(1, map[string]uint64{"demo.leave": 1}), ""},
		{[]string{"exit"}, 3, true, workCounts(1, map[string]uint64{"demo.main": 0}), ""},
		{[]string{"fatal"}, 1, true, workCounts(1, map[string]uint64{"demo.main": 0}), "fatal"},
		{[]string{"elsewhere"}, 4, true, workCounts(1, map[string]uint64{"demo.main": 0}), ""},
		{[]string{"syscallexit"}, 6, false, workCounts(1, map[string]uint64{"demo.main": 0}), ""},
		{[]string{"deadlock"}, 2, false, workCounts(1, map[string]uint64{"demo.main": 0}), "all goroutines are asleep - deadlock!"},
		{[]string{"chdir"}, 0, true, workCounts(1, nil), ""},
		{[]string{"reenter", "5"}, 0, true, workCounts(0, map[string]uint64{"demo.leave": 5}), ""},
		{[]string{"pause"}, 0, true, workCounts(2, map[string]uint64{"demo.leave": 1, "demo.counted": 10}), ""},
		{[]string{"workers", "300"}, 0, true, workCounts(15000, map[string]uint64{"demo.leave": 15000}), ""},
		{[]string{"million", "1"}, 0, true, workCounts(0, map[string]uint64{"demo.leave": 1000000}), ""},
		{[]string{"million", "2"}, 0, true, workCounts(0, map[string]uint64{"demo.leave": 1000000}), ""},
		{[]string{"million", "8"}, 0, true, workCounts(0, map[string]uint64{"demo.leave": 1000000}), ""},
		{[]string{"million", "200"}, 0, true, workCounts(0, map[string]uint64{"demo.leave": 1000000}), ""},
		{[]string{"procs", "2000"}, 0, true, workCounts(40000, map[string]uint64{"demo.leave": 40000}), ""},
	} {
		for _, f := range []*form{raceForm, virtualForm} {
			if f == raceForm && tt.args[0] == "deadlock" {
				continue // Go does not look for deadlocks with -race
			}
			t.Run(f.name+"/"+strings.Join(tt.args, ""), func(t *testing.T) {
				t.Parallel()
				for _, config := range []string{"collect=time", "noself", "clock=mono"} {
					r := f.run(t, config+",file=data", tt.args...)
					if r.code != tt.exit {
						t.Errorf("%s: exit code %d, want %d\n%s", config, r.code, tt.exit, r.stderr)
					}
					if !strings.Contains(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" {
						t.Errorf("%s: stderr %q, want %q", config, r.stderr, tt.stderr)
					}
					d := r.data("data")
					if diff := differ(tt.want, d.counts()); diff != "" {
						t.Errorf("%s: scopes (-want +got):\n%s", config, diff)
					}
					want := uint64(layout.StateProfiling)
					if tt.stopped {
						want = layout.StateStopped
					}
					if got := d.word(layout.OffState); got != want {
						t.Errorf("%s: state %d, want %d", config, got, want)
					}
					if (d.word(layout.OffEndWall) != 0) != tt.stopped {
						t.Errorf("%s: the end's time is %d", config, d.word(layout.OffEndWall))
					}
				}
			})
		}
	}
}

// With MARKGEN unset, empty, or unusable, the program behaves as if it were not marked.
func TestInert(t *testing.T) {
	for _, value := range []string{"", ",", "collect", "collect=time,io,file=x", "file=x,colect=time", "file=x,noself=1", "file=x,report="} {
		stderr := ""
		if _, problem := config.Parse(value); config.IsSet(value) {
			stderr = "markgen: " + problem + "\n"
		}
		r := virtualForm.run(t, value, "work", "2")
		if r.code != 0 || r.stderr != stderr || r.stdout != "sum 20 true false\n" {
			t.Errorf("MARKGEN=%s: exit code %d, stdout %q, stderr %q, want %q", value, r.code, r.stdout, r.stderr, stderr)
		}
		if f := r.files(); len(f) > 0 {
			t.Errorf("MARKGEN=%s left %q", value, f)
		}
	}
	cmd := virtualForm.command(t, "", "work", "2")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "MARKGEN=") })
	if r := finish(t, cmd); r.code != 0 || r.stderr != "" || len(r.files()) > 0 {
		t.Errorf("unset: exit code %d, stderr %q, files %q", r.code, r.stderr, r.files())
	}
}

// The tag removes the runtime: MARKGEN is not read.
func TestTagOff(t *testing.T) {
	r := offModule.run(t, "file=data,report=stderr", "work", "2")
	if r.code != 0 || r.stdout != "sum 20 false false\n" || r.stderr != "" || len(r.files()) > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q, files %q", r.code, r.stdout, r.stderr, r.files())
	}
}

// Code marked in place has no counters.
func TestModuleForm(t *testing.T) {
	without := func(want map[string]uint64) map[string]uint64 {
		delete(want, "demo.counted")
		delete(want, "demo.uncounted")
		return want
	}
	r := moduleForm.run(t, "file=data,report=stderr", "work", "2")
	if r.code != 0 || !strings.Contains(r.stderr, "demo.work:for#1") {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	want := without(workCounts(3, map[string]uint64{"demo.tick": 2, "demo.pass": 2}))
	d := r.data("data")
	if diff := differ(want, d.counts()); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	if d.word(layout.OffState) != layout.StateStopped {
		t.Errorf("state %d", d.word(layout.OffState))
	}
	// In this form os.Exit cannot be hooked; the data are there nevertheless.
	r = moduleForm.run(t, "file=data,report=stderr", "exit")
	if r.code != 3 || r.stderr != "" {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	if diff := differ(without(workCounts(1, map[string]uint64{"demo.main": 0})), r.data("data").counts()); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
}

func TestReport(t *testing.T) {
	for _, f := range []*form{raceForm, virtualForm} {
		t.Run(f.name, func(t *testing.T) {
			r := f.run(t, "report=stderr", "work", "3")
			lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
			var names, counts []string
			for _, line := range lines[1:] {
				w := strings.Fields(line)
				names, counts = append(names, w[0]), append(counts, w[1])
				if len(w) != 4 {
					t.Errorf("line %q", line)
				}
			}
			if !strings.HasPrefix(lines[0], "markgen: demo, pid ") || !strings.Contains(lines[0], ", quantum ") {
				t.Errorf("the report begins %q", lines[0])
			}
			wantNames := []string{"marker", "demo.(*T).Never", "demo.add", "demo.counted", "demo.leave", "demo.main", "demo.pass",
				"demo.tick", "demo.uncounted", "demo.work", "demo.work:for#1"}
			wantCounts := []string{"count", "0", "21", "20", "0", "1", "3", "3", "0", "4", "40"}
			if diff := differ(wantNames, names); diff != "" {
				t.Error(diff)
			}
			if diff := differ(wantCounts, counts); diff != "" {
				t.Error(diff)
			}
			if files := r.files(); len(files) > 0 {
				t.Errorf("a report without file= left %q", files)
			}
		})
	}
	// The report is also written on os.Exit and log.Fatal, after their output.
	for _, what := range []string{"exit", "fatal", "elsewhere"} {
		r := virtualForm.run(t, "report=r.%p.%a.%%.txt,file=data", what)
		names := r.files()
		if len(names) != 2 || !strings.HasSuffix(names[1], ".demo.%.txt") {
			t.Fatalf("%s left %q", what, names)
		}
		b, err := os.ReadFile(filepath.Join(r.dir, names[1]))
		if err != nil || !strings.Contains(string(b), "demo.work:for#1     10") {
			t.Errorf("%s: report %s %v", what, b, err)
		}
	}
	// A device is written to, not replaced; for an unusable path there is one line on stderr.
	if r := virtualForm.run(t, "report=/dev/null", "work"); r.code != 0 || r.stderr != "" {
		t.Errorf("/dev/null: exit code %d, stderr %q", r.code, r.stderr)
	}
	if st, err := os.Stat("/dev/null"); err != nil || st.Mode().IsRegular() {
		t.Errorf("/dev/null is now %v %v", st, err)
	}
	r := virtualForm.run(t, "report=no/such/place", "work")
	if r.code != 0 || !strings.HasPrefix(r.stderr, `markgen: MARKGEN: key "report": `) || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("no place: exit code %d, stderr %q", r.code, r.stderr)
	}
	// Relative paths are relative to the working directory at the start.
	if r := virtualForm.run(t, "report=r", "chdir"); r.code != 0 || !slices.Equal(r.files(), []string{"r"}) {
		t.Errorf("chdir: files %q, stderr %q", r.files(), r.stderr)
	}
}

// Without file= and report= there is a file; with report=none alone, too.
func TestDefaultFile(t *testing.T) {
	for _, config := range []string{"collect=time", "report=none"} {
		r := virtualForm.run(t, config, "work")
		files := r.files()
		if len(files) != 1 || !strings.HasPrefix(files[0], "demo.") || !strings.HasSuffix(files[0], ".markgen") {
			t.Fatalf("%s left %q", config, files)
		}
		d := r.data(files[0])
		if want := "demo." + strconv.Itoa(int(d.word(layout.OffPID))) + ".markgen"; files[0] != want {
			t.Errorf("%s: file %s, want %s", config, files[0], want)
		}
		st, err := os.Stat(filepath.Join(r.dir, files[0]))
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("mode %v %v", st.Mode(), err)
		}
	}
	r := virtualForm.run(t, "file=%a-%t", "work")
	files := r.files()
	if len(files) != 1 || len(files[0]) != len("demo-20060102-150405") || files[0][:7] != "demo-20" {
		t.Errorf("files %q", files)
	}
}

func TestOnlyAndSkip(t *testing.T) {
	for _, tt := range []struct {
		config string
		want   map[string]uint64
	}{
		// The loop is behind the gate of work, whose own marker is not collected.
		{"only=*:for#1", map[string]uint64{"demo.work:for#1": 20}},
		{"only=demo.work;demo.m?in", map[string]uint64{"demo.work": 2, "demo.main": 1}},
		{"skip=*.work*;demo.add", map[string]uint64{"demo.main": 1, "demo.tick": 1, "demo.pass": 1, "demo.counted": 10}},
		{"only=demo.*,skip=demo.?*d;demo.work;*.tick;*main", map[string]uint64{"demo.work:for#1": 20, "demo.pass": 1}},
		{"only=demo.counted", map[string]uint64{"demo.counted": 10}},
		{"only=nothing", nil},
		{"only=none", nil}, // the documented way to begin with none
	} {
		want := map[string]uint64{}
		for name := range workCounts(0, nil) {
			want[name] = tt.want[name]
		}
		r := virtualForm.run(t, "file=data,"+tt.config, "work", "1")
		if diff := differ(want, r.data("data").counts()); diff != "" {
			t.Errorf("%s: scopes (-want +got):\n%s", tt.config, diff)
		}
		warning := ""
		if tt.config == "only=nothing" {
			warning = "markgen: MARKGEN: key \"only\": no marker matches nothing; markgen list names markers; nothing is collected\n"
		}
		if r.stderr != warning {
			t.Errorf("%s: stderr is %q, want %q", tt.config, r.stderr, warning)
		}
	}
}

// The file of a process that was killed in the middle of its work can be read like any other.
func TestKilled(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd := virtualForm.command(t, "file=data,report=stderr", "forever", "1000")
			untilReady(t, cmd)
			cmd.Process.Signal(sig)
			cmd.Wait()
			if sig != syscall.SIGQUIT && exitCode(cmd) != 128+int(sig) {
				t.Errorf("exit code %d", exitCode(cmd))
			}
			d := readData(t, filepath.Join(cmd.Dir, "data"))
			w, l, a := d.marks["demo.work"], d.marks["demo.work:for#1"], d.marks["demo.add"]
			if w.count < 1000 || l.count < 10*w.count || l.count > 10*w.count+10 || a.count < 5*w.count || a.count > 5*w.count+6 {
				t.Errorf("work %d, its loop %d, add %d", w.count, l.count, a.count)
			}
			if d.word(layout.OffState) != layout.StateProfiling || d.word(layout.OffEndWall) != 0 {
				t.Errorf("state %d, end %d", d.word(layout.OffState), d.word(layout.OffEndWall))
			}
		})
	}
}

func TestAllocs(t *testing.T) {
	for _, f := range []*form{virtualForm, moduleForm} {
		if r := f.run(t, "file=data", "allocs"); r.stdout != "allocs 0\n" {
			t.Errorf("%s: %s%s", f.name, r.stdout, r.stderr)
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, f := range []*form{raceForm, virtualForm, moduleForm} {
		t.Run(f.name, func(t *testing.T) {
			for _, config := range []string{"", "file=data", "file=data,only=none", "report=/dev/null"} {
				if r := f.run(t, config, "bad"); r.code != 0 || r.stdout != "fine\n" || r.stderr != "" {
					t.Errorf("%s, MARKGEN=%s: exit code %d, stdout %q, stderr %s", f.name, config, r.code, r.stdout, r.stderr)
				}
			}
		})
	}
}

// Markers hide no race of the program from the race detector: they do not order goroutines that
// execute the same marker.
func TestRaceIsSeen(t *testing.T) {
	for _, config := range []string{"", "file=data", "report=/dev/null", "file=data,noself"} {
		r := raceForm.run(t, config, "race")
		if r.code != 66 || strings.Count(r.stderr, "WARNING: DATA RACE") != 1 {
			t.Errorf("MARKGEN=%s: exit code %d, stderr %s", config, r.code, r.stderr)
		}
	}
}

// The header has the CPU time of the run, which is a little less than the system's value for the
// process.
func TestCPUTime(t *testing.T) {
	native(t)
	cmd := virtualForm.command(t, "file=data", "million", "8")
	r := finish(t, cmd)
	d := r.data("data")
	of := uint64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	if cpu := d.word(layout.OffCPUTime); cpu < of/2 || cpu > of {
		t.Errorf("processor time %d ns, of the process %d ns", cpu, of)
	}
	if count := d.word(layout.OffCount); count == 0 || count > d.word(layout.OffScopeCost) {
		t.Errorf("a count costs %d ps, a scope %d ps", count, d.word(layout.OffScopeCost))
	}
}

// The header has the kind of the file, the platform and the configuration.
func TestHeader(t *testing.T) {
	arch := goarch
	if emulator != "" {
		arch = os.Getenv("GOARCH")
	}
	for _, kind := range []string{"mono", ""} {
		config := "file=data"
		if kind != "" {
			config += ",clock=" + kind
		}
		d := virtualForm.run(t, config, "self", "10").data("data")
		if d.text(layout.OffApp, layout.SizeApp) != "demo" || d.text(layout.OffConfig, layout.SizeConfig) != config || d.text(layout.OffGOOS, layout.SizeGOOS) != goos ||
			d.text(layout.OffGOARCH, layout.SizeGOARCH) != arch || !strings.HasPrefix(d.text(layout.OffGo, layout.SizeGo), "go1.") {
			t.Errorf("header %q", d.b[layout.OffApp:layout.OffConfig+64])
		}
		if d.text(layout.OffMain, layout.SizeMain) != "demo" || arch == goarch && d.text(layout.OffCPU, layout.SizeCPU) != clock.Model() || arch == "amd64" && clock.Model() == "" {
			t.Errorf("main package %q, processor %q", d.text(layout.OffMain, layout.SizeMain), d.text(layout.OffCPU, layout.SizeCPU))
		}
		ns := d.word(layout.OffEndMono) - d.word(layout.OffStartMono)
		ticks := d.word(layout.OffEndTick) - d.word(layout.OffStartTick)
		hz := float64(ticks) / float64(ns) * 1e9
		if off := hz/float64(d.word(layout.OffHz)) - 1; off < -5e-4 || off > 5e-4 {
			t.Errorf("the clock runs at %.0f Hz, the header says %d", hz, d.word(layout.OffHz))
		}
		if kind == "mono" && (d.word(layout.OffClock) != layout.ClockMono || d.word(layout.OffHz) != 1e9) {
			t.Errorf("clock %d at %d Hz", d.word(layout.OffClock), d.word(layout.OffHz))
		}
		read, inside, whole := d.word(layout.OffRead), d.word(layout.OffScopeInside), d.word(layout.OffScopeCost)
		if read == 0 || whole < inside || whole < read || whole > 10e6 || d.word(layout.OffQuantum) == 0 {
			t.Errorf("read %d ps, inside %d ps, whole %d ps, quantum %d ps", read, inside, whole, d.word(layout.OffQuantum))
		}
		wall := d.word(layout.OffEndWall) - d.word(layout.OffStartWall)
		if wall < 20e6 || wall > 60e9 || d.word(layout.OffStartWall) < 1.6e18 || d.word(layout.OffLost) != 0 {
			t.Errorf("the run took %d ns from %d, lost %d", wall, d.word(layout.OffStartWall), d.word(layout.OffLost))
		}
	}
}
