//go:build amd64 || arm64

package overlay_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/tier"
)

// collected has the readings of a collector at one marker.
type collected struct {
	Scopes  uint64 `json:"scopes"`
	Dropped uint64 `json:"dropped"`
	Values  map[string]struct {
		Total  uint64 `json:"total"`
		Self   uint64 `json:"self"`
		Nested uint64 `json:"nested"`
	} `json:"values"`
}

// A collectedRun is a run of testdata/collect: readings by the marker's name without its package.
type collectedRun struct {
	trapResult
	count map[string]uint64
	read  map[string]map[string]collected
	lost  uint64 // records of a trace
}

// values returns for one value of a collector scopes, total, self and nested at the given markers.
func (r collectedRun) values(collector, value string, markers ...string) map[string][4]uint64 {
	all := map[string][4]uint64{}
	for _, m := range markers {
		c := r.read[m][collector]
		all[m] = [4]uint64{c.Scopes, c.Values[value].Total, c.Values[value].Self, c.Values[value].Nested}
	}
	return all
}

// collectCopy copies testdata/collect, with a go.mod that finds the runtime.
func collectCopy(t *testing.T) string {
	t.Helper()
	dir := trapCopy(t, nil, "collect")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text), "../..", root))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ownProcs keeps the Go runtime from periodically reading its cgroup limits, from files whose bytes
// would be counted among those that the program reads.
const ownProcs = "GOMAXPROCS=4"

// collectBuild builds the program with all points marked.
func collectBuild(t *testing.T, flags ...string) (program string) {
	t.Helper()
	dir := collectCopy(t)
	program = filepath.Join(dir, "collect")
	trapMust(t, dir, nil, trapMarkgen(t), append(append([]string{"build", "-all"}, flags...), "-o", program, ".")...)
	return program
}

// collectRun runs a program that collects, and returns its data.
func collectRun(t *testing.T, program, collect, what string) collectedRun {
	t.Helper()
	dir := t.TempDir()
	r := trapRun(t, dir, []string{"MARKGEN=file=data,collect=" + collect, ownProcs}, program, what)
	if r.state != "exit status 0" || !strings.HasSuffix(r.stdout, "done "+what+"\n") {
		t.Fatalf("%s, collect=%s: %s\n%s%s", what, collect, r.state, r.stdout, r.stderr)
	}
	return collectRead(t, r, filepath.Join(dir, "data"))
}

func collectRead(t *testing.T, r trapResult, data string) collectedRun {
	t.Helper()
	var report struct {
		Trace   struct{ Lost uint64 }
		Markers []struct {
			Name     string
			Count    uint64
			Readings map[string]collected
		}
	}
	text := trapMust(t, t.TempDir(), nil, trapMarkgen(t), "report", "-format", "json", data).stdout
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	c := collectedRun{r, map[string]uint64{}, map[string]map[string]collected{}, report.Trace.Lost}
	for _, m := range report.Markers {
		name := strings.TrimPrefix(m.Name, "example.com/collect.")
		c.count[name], c.read[name] = m.Count, m.Readings
	}
	return c
}

func collectEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Readings of a program's own collector are exact, in every form of marking: totals, self values,
// and recursion.
func TestCollectOwn(t *testing.T) {
	t.Parallel()
	inPlace := func(t *testing.T) string {
		dir := collectCopy(t)
		trapMust(t, dir, nil, trapMarkgen(t), "-all")
		program := filepath.Join(dir, "collect")
		trapMust(t, dir, nil, "go", "build", "-o", program, ".")
		return program
	}
	for _, form := range []struct {
		name string
		// left is what leave reads if a panic that leaves it is recovered in unmarked code: 6 if a
		// deferred call ends its scope. Otherwise its scope ends with that of around, and includes
		// the 11 steps of around.
		left  uint64
		build func(t *testing.T) string
	}{
		{"overlay", 6 + 11, func(t *testing.T) string { return collectBuild(t) }},
		{"open", 6 + 11, func(t *testing.T) string { return collectBuild(t, "-form", "open") }},
		{"guarded", 6, func(t *testing.T) string { return collectBuild(t, "-form", "guarded") }},
		{"race", 6 + 11, func(t *testing.T) string { return collectBuild(t, "-race") }},
		{"in place", 6, inPlace},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			program := form.build(t)
			r := collectRun(t, program, "steps", "calls")
			collectEqual(t, "recursion and loops", r.values("steps", "steps", "main", "down", "outer", "outer:for#1", "inner"), map[string][4]uint64{
				"main":        {1, 38, r.read["main"]["steps"].Values["steps"].Self, 0},
				"down":        {5, 15, r.read["down"]["steps"].Values["steps"].Self, 12 + 9 + 6 + 3},
				"outer":       {1, 23, r.read["outer"]["steps"].Values["steps"].Self, 0},
				"outer:for#1": {3, 3, 0, 0},
				"inner":       {3, 3, r.read["inner"]["steps"].Values["steps"].Self, 0},
			})
			self := uint64(0)
			for _, read := range r.read {
				self += read["steps"].Values["squares"].Self
			}
			if want := r.read["main"]["steps"].Values["squares"].Total; self != want {
				t.Errorf("selves of %d squares add up to %d", want, self)
			}

			r = collectRun(t, program, "time+steps", "panics")
			collectEqual(t, "panics", r.values("steps", "steps", "catch", "leave", "around"), map[string][4]uint64{
				"catch":  {1, 5 + 1 + 7 + 1, r.read["catch"]["steps"].Values["steps"].Self, 0},
				"leave":  {2, 6 + form.left, r.read["leave"]["steps"].Values["steps"].Self, 0},
				"around": {1, 6 + 11, 6 + 11 - form.left, 0},
			})

			r = collectRun(t, program, "steps", "goexit")
			collectEqual(t, "goexit", r.values("steps", "squares", "outer"), map[string][4]uint64{
				"outer": {20, 20 * 203, r.read["outer"]["steps"].Values["squares"].Self, 0},
			})
			r = collectRun(t, program, "steps", "goroutines")
			collectEqual(t, "goroutines", r.values("steps", "squares", "outer", "inner"), map[string][4]uint64{
				"outer": {4000, 4000 * 203, r.read["outer"]["steps"].Values["squares"].Self, 0},
				"inner": {12000, 12000, r.read["inner"]["steps"].Values["squares"].Self, 0},
			})
		})
	}
}

func TestCollectIO(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	for _, collect := range []string{"io", "io+time", "steps+hw+io"} {
		r := collectRun(t, program, collect, "io")
		for value, want := range map[string]map[string][4]uint64{
			"read_bytes":  {"load": {100, 50 * 1024, 50 * 1024, 0}, "save": {50, 0, 0, 0}, "transfer": {50, 50 * 1031, 50 * 7, 0}},
			"read_ops":    {"load": {100, 100, 100, 0}, "save": {50, 0, 0, 0}, "transfer": {50, 150, 50, 0}},
			"write_bytes": {"load": {100, 0, 0, 0}, "save": {50, 50 * 300, 0, 0}, "transfer": {50, 50 * 300, 0, 0}},
			"write_ops":   {"load": {100, 0, 0, 0}, "save": {50, 100, 0, 0}, "transfer": {50, 100, 0, 0}},
		} {
			collectEqual(t, collect+" "+value, r.values("io", value, "load", "save", "transfer"), want)
		}
	}

	// Readings are of the process: other goroutines' reads count, too. All of them are within main.
	r := collectRun(t, program, "io", "io goroutines")
	collectEqual(t, "main of all goroutines", r.values("io", "read_bytes", "main")["main"][1], uint64(800*1031))
	if v := r.values("io", "read_bytes", "transfer")["transfer"]; v[0] != 800 || v[1] < 800*1031 {
		t.Errorf("on all goroutines: %d scopes read %d bytes", v[0], v[1])
	}
	if v := r.read["transfer"]["io"]; v.Dropped != 0 {
		t.Errorf("%d scopes were dropped", v.Dropped)
	}
}

// Page faults are counted even without hardware counters. A scope whose goroutine continues on
// another thread is dropped, with the enclosing ones.
func TestCollectHW(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	r := collectRun(t, program, "hw", "pages")
	if strings.Contains(r.stderr, "page_faults") {
		t.Skipf("page faults can't be counted here: %s", r.stderr)
	}
	if n := strings.Count(r.stderr, "\n"); n > 1 || n == 1 && !strings.HasPrefix(r.stderr, "markgen: collect=hw: cycles") || n == 1 && !strings.HasSuffix(r.stderr, "; left out\n") {
		t.Errorf("stderr: %s", r.stderr)
	}
	v := r.values("hw", "page_faults", "touch")["touch"]
	if v[0] != 2 || v[1] < 1000 || v[1] > 1020 {
		t.Errorf("%d scopes had %d page faults, want 2 and 1000", v[0], v[1])
	}
	r = collectRun(t, program, "hw", "hop")
	for _, name := range []string{"hop", "main"} {
		if h := r.read[name]["hw"]; h.Scopes != 0 || h.Dropped != 1 {
			t.Errorf("%s, which goes to another thread: %+v", name, h)
		}
	}
}

// Programs that close all descriptors get no wrong readings, and lose nothing of the files that
// reuse the numbers.
func TestCollectClosed(t *testing.T) {
	t.Parallel()
	r := collectRun(t, collectBuild(t), "io+hw", "closed")
	load := r.read["load"]
	if io := load["io"]; io.Scopes != 1 || io.Dropped != 10 || io.Values["read_bytes"].Total != 10 {
		t.Errorf("%+v", io)
	}
	if hw, ok := load["hw"]; ok && hw.Scopes+hw.Dropped != 11 {
		t.Errorf("%+v", hw)
	}
}

// A faulty collector only loses its own readings.
func TestCollectBad(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	r := collectRun(t, program, "brittle+steps", "calls")
	if want := "markgen: collector brittle: Read panicked: worn out; it is read no more\n"; r.stderr != want {
		t.Errorf("stderr %q, want %q", r.stderr, want)
	}
	if v := r.values("steps", "steps", "main", "down"); v["main"][1] != 38 || v["down"][1] != 15 {
		t.Errorf("the other collector: %v", v)
	}
	for _, name := range []string{"main", "down", "outer"} {
		if b := r.read[name]["brittle"]; b.Scopes != 0 || b.Dropped != r.count[name] {
			t.Errorf("%s: %+v of %d", name, b, r.count[name])
		}
	}

	r = collectRun(t, program, "cranky", "calls")
	if c := r.read["main"]["cranky"]; c.Scopes != 0 || c.Dropped != 1 || r.stderr != "" {
		t.Errorf("one that goes back: %+v, %s", c, r.stderr)
	}
	if n := r.count["cranky.Read"]; n == 0 || r.read["cranky.Read"] != nil {
		t.Errorf("scopes inside Read: %d, of which were read %v", n, r.read["cranky.Read"])
	}

	r = collectRun(t, program, "empty", "io name")
	if want := "markgen: collector io: the name is markgen's own; register it under another\n"; r.stderr != want {
		t.Errorf("stderr %q, want %q", r.stderr, want)
	}
}

// A program can have many collectors; of the requested ones, as many are read as there is space
// for.
func TestCollectMany(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	r := collectRun(t, program, "many59", "many")
	const registered = "markgen: collector many60: 64 are registered, which is all that there is room for; it is left out\n" +
		"markgen: collector many0: registered a second time; the first counts\n"
	if r.stderr != registered || r.read["main"]["many59"].Scopes != 1 {
		t.Errorf("%+v, %s", r.read["main"], r.stderr)
	}
	r = collectRun(t, program, "many0+many1+many2+many3+many4+many5+many6+many7+many8", "many")
	if want := "markgen: collector many8: 8 collectors and 64 values are read at most; left out\n" + registered; r.stderr != want {
		t.Errorf("stderr %q, want %q", r.stderr, want)
	}
	if n := len(r.read["main"]); n != 8 {
		t.Errorf("%d collectors were read", n)
	}
}

// Markers executed by a collector while it is being read do not count as lost trace records.
func TestCollectTraced(t *testing.T) {
	t.Parallel()
	r := collectRun(t, collectBuild(t), "time+trace+cranky", "calls")
	if r.count["cranky.Read"] == 0 || r.lost != 0 {
		t.Errorf("%d scopes in Read, %d records lost", r.count["cranky.Read"], r.lost)
	}
}

// An unknown collector leaves the program unaffected, without a data file.
func TestCollectUnknown(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	line := func(key string) string {
		return `markgen: MARKGEN: key "` + key + `": no collector has the name stops; give `
	}
	for _, what := range []string{"calls", "goroutines"} {
		for _, asked := range []string{"collect=stops", "collect=time+io+stops", "collect=stops,clock=mono", "collect=stops,noself", "adapt=stops"} {
			dir := t.TempDir()
			r := trapRun(t, dir, []string{"MARKGEN=file=data,report=stderr," + asked}, program, what)
			key, _, _ := strings.Cut(asked, "=")
			if r.state != "exit status 0" || r.stdout != "done "+what+"\n" || !strings.HasPrefix(r.stderr, line(key)) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("%s: %s\n%s%s", asked, r.state, r.stdout, r.stderr)
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
				t.Errorf("%s left %v %v", asked, names, err)
			}
		}
	}
	r := trapRun(t, t.TempDir(), []string{"MARKGEN=collect=stops"}, trapMarkgen(t), "exec", program, "calls")
	if r.state != "exit status 0" || !strings.HasPrefix(r.stderr, line("collect")) || !strings.Contains(r.stderr, "no data") {
		t.Errorf("exec: %s\n%s", r.state, r.stderr)
	}
}

// Readings neither allocate nor order goroutines, so that races are still detected.
func TestCollectQuiet(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	program := collectBuild(t)
	for _, collect := range []string{"io", "hw", "steps", "steps+io+hw", "steps+io+hw,noself", "steps+io+hw,clock=mono"} {
		if r := collectRun(t, program, collect, "allocs"); r.stdout != "0\ndone allocs\n" {
			t.Errorf("collect=%s: %s", collect, r.stdout)
		}
	}
	raced := collectBuild(t, "-race")
	for _, collect := range []string{"io+hw", "empty"} { // the collector steps orders goroutines itself
		r := trapRun(t, t.TempDir(), []string{"MARKGEN=file=data,collect=" + collect}, raced, "race")
		if strings.Count(r.stderr, "WARNING: DATA RACE") != 1 {
			t.Errorf("collect=%s: %s\n%s", collect, r.state, r.stderr)
		}
	}
	if r := collectRun(t, raced, "steps+io+hw", "goroutines"); strings.Contains(r.stderr, "RACE") {
		t.Error(r.stderr)
	}
}

// A program that configures itself uses the selected collectors, even if they were registered when
// nothing was collected.
func TestCollectConfigured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := trapMust(t, dir, []string{"MARKGEN=", ownProcs}, collectBuild(t), "configure")
	c := collectRead(t, r, filepath.Join(dir, "data"))
	collectEqual(t, "steps", c.values("steps", "squares", "outer")["outer"], [4]uint64{1, 203, c.read["outer"]["steps"].Values["squares"].Self, 0})
	if io := c.read["transfer"]["io"]; io.Scopes != 4 || io.Values["read_bytes"].Total < 4*1031 || r.stderr != "" {
		t.Errorf("%+v\n%s", io, r.stderr)
	}
}

// A second run in a process uses its own selection of collectors.
func TestCollectAgain(t *testing.T) {
	t.Parallel()
	program := collectBuild(t)
	for _, first := range []string{"time", "io", "steps+hw+io", "brittle", "trace+io"} {
		dir := t.TempDir()
		r := trapMust(t, dir, []string{"MARKGEN=file=data,collect=" + first, ownProcs}, program, "again")
		c := collectRead(t, r, filepath.Join(dir, "data"))
		if n := c.read["outer"]["io"].Scopes; (n == 1) != strings.Contains(first, "io") {
			t.Errorf("collect=%s: %d readings of outer", first, n)
		}
		c = collectRead(t, r, filepath.Join(dir, "second"))
		collectEqual(t, "second run after "+first, c.values("steps", "squares", "outer")["outer"], [4]uint64{1, 203, c.read["outer"]["steps"].Values["squares"].Self, 0})
		collectEqual(t, "second run after "+first, c.values("io", "read_bytes", "transfer")["transfer"], [4]uint64{1, 1031, 7, 0})
	}
}

// Readings are in the file when the process is killed.
func TestCollectKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), collectBuild(t), "forever")
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "MARKGEN=") }),
		"MARKGEN=file=data,collect=steps+io", ownProcs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	r := collectRead(t, trapResult{}, filepath.Join(dir, "data"))
	outer, transfer := r.values("steps", "steps", "outer")["outer"], r.values("io", "read_bytes", "transfer")["transfer"]
	if outer[0] < 1000 || outer[1] > outer[0]*23 || outer[1] < (outer[0]-1)*23 {
		t.Errorf("%d scopes made %d steps", outer[0], outer[1])
	}
	if transfer[0] < 1000 || transfer[1] > transfer[0]*1031 || transfer[1] < (transfer[0]-1)*1031 {
		t.Errorf("%d scopes read %d bytes", transfer[0], transfer[1])
	}
}
