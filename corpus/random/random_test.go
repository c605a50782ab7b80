package random_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/corpus/random"
	"github.com/markgen/markgen/tier"
)

var (
	seed  = flag.Uint64("seed", 1, "the first program's `seed`")
	seeds = flag.Uint64("seeds", 0, "`how many` programs (0: 1, or 40 in make corpus)")
)

// A place is a function, loop or branch. Several of the same kind on a line are one place.
type place struct {
	kind string
	line int
}

// TestPrograms generates programs, and runs them plain and marked in all ways.
func TestPrograms(t *testing.T) {
	tier.Test(t)
	n, functions := *seeds, 40
	switch {
	case n > 0:
	case tier.InCorpus():
		n = 40
	default:
		n, functions = 1, 12
	}
	markgen := filepath.Join(t.TempDir(), "markgen")
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	must(t, ".", nil, "go", "build", "-ldflags=-w -X=main.checkout="+checkout, "-o", markgen, "../../cmd/markgen")
	for s := *seed; s < *seed+n; s++ {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			p := program{t, s, markgen, t.TempDir()}
			if err := random.Write(p.dir, s, functions); err != nil {
				t.Fatal(err)
			}
			p.overlay()
			p.inPlace()
		})
	}
}

type program struct {
	t       *testing.T
	seed    uint64
	markgen string
	dir     string
}

// overlay builds the program in each form, and runs it with settings that change how scopes are
// recorded.
func (p *program) overlay() {
	plainDefers := p.build("go", "build", "-o", "plain")
	want := must(p.t, p.dir, []string{"PLACES=1"}, "./plain")
	places := passed(want)
	allocate := allocations(must(p.t, p.dir, []string{"ALLOCS=1"}, "./plain"))
	deaths := p.deaths(p.seed, steps(want))
	for _, way := range []struct {
		flags    string
		variable []string // MARKGEN of each run
		exact    bool     // every scope is counted
	}{
		{"-all", []string{"", "collect=time", "collect=time,noself", "collect=time+trace,buffer=64M,callers", "collect=time+io"}, true},
		{"-all", []string{
			"collect=time,sample=1:3", "collect=time,sample=1:3,countdown", "collect=time,throttle=20:1000000,callers", "collect=time,enough=5",
			"collect=time,adapt=io", "collect=time,every=3ms:1ms", "collect=time,outermost", "collect=time,only=*f1*,skip=*f13*",
			"collect=time,start=count:random.f3:2,pause=after:3ms,resume=after:1ms",
		}, false},
		{"-all -form guarded", []string{"", "collect=time"}, true},
		{"-all -form twin", []string{"collect=time"}, true},
		{"-all -form open", []string{"collect=time"}, true},
		{"-all -deep", []string{"", "collect=time+alloc+wait"}, true},
	} {
		markedDefers := p.build(p.markgen, strings.Fields("build "+way.flags+" -o marked")...)
		moved := movedReturns(p.t, filepath.Join(p.dir, "main.go"), plainDefers, markedDefers)
		for _, v := range way.variable {
			name := way.flags + " " + v
			if plainly := v == "" || v == "collect=time" || strings.Contains(way.flags, "-deep"); plainly && !strings.Contains(way.flags, "-form") { // other settings may prevent inlining
				p.compareAllocations(name, v != "", allocations(must(p.t, p.dir, []string{"ALLOCS=1", "MARKGEN=" + withData(v)}, "./marked")), allocate)
				os.Remove(filepath.Join(p.dir, "data.markgen"))
			}
			p.compare(name, must(p.t, p.dir, []string{"PLACES=1", "MARKGEN=" + withData(v)}, "./marked"), want)
			if v != "" {
				if got := p.report(false); way.exact && !maps.Equal(got, places) {
					p.t.Errorf("%s: scopes differ (-program +markgen):\n%s", name, cmp.Diff(places, got))
				}
			}
			p.compareDeaths(name, v, way.exact, deaths, moved)
		}
	}
}

// build runs a command that builds the program, and returns how its defer statements are compiled.
func (p *program) build(exe string, args ...string) map[deferKind]bool {
	_, stderr := run(p.t, p.dir, nil, exe, append(args, reportDefers, ".")...)
	return deferKinds(stderr)
}

// inPlace marks the program's own source, runs it, and strips it again.
func (p *program) inPlace() {
	env := []string{"PLACES=1", "NOLINES=1"}
	plain := must(p.t, p.dir, env, "./plain")
	main := filepath.Join(p.dir, "main.go")
	before, err := os.ReadFile(main)
	if err != nil {
		p.t.Fatal(err)
	}
	must(p.t, p.dir, nil, p.markgen, "init", ".")
	must(p.t, p.dir, nil, p.markgen, "-all", ".")
	must(p.t, p.dir, nil, p.markgen, "-all", "-check", ".")
	must(p.t, p.dir, nil, "go", "build", "-o", "marked", ".")
	p.compare("in place, inert", must(p.t, p.dir, env, "./marked"), plain)
	p.compare("in place", must(p.t, p.dir, append(env, "MARKGEN="+withData("collect=time")), "./marked"), plain)
	if got, want := sums(p.report(false)), sums(passed(plain)); !maps.Equal(got, want) {
		p.t.Errorf("in place: scopes differ (-program +markgen):\n%s", cmp.Diff(want, got))
	}
	must(p.t, p.dir, nil, p.markgen, "-strip", ".")
	if after, err := os.ReadFile(main); err != nil || !bytes.Equal(before, after) {
		p.t.Errorf("stripped, the source differs: %v", err)
	}
}

func (p *program) compare(name string, got, want []byte) {
	if !bytes.Equal(got, want) {
		p.t.Errorf("%s: what the program prints differs (-plain +marked):\n%.3000s", name, cmp.Diff(string(want), string(got)))
	}
}

// allocated has the allocations of a call, and the number of panics recovered in it.
type allocated struct{ objects, panics uint64 }

// allocations returns the allocations that the program reports, by call.
func allocations(stdout []byte) map[string]allocated {
	calls := map[string]allocated{}
	for line := range strings.Lines(string(stdout)) {
		var name, seed string
		var a allocated
		if n, _ := fmt.Sscanf(line, "allocates %s %s %d %d", &name, &seed, &a.objects, &a.panics); n == 4 {
			calls[name+" "+seed] = a
		}
	}
	return calls
}

// compareAllocations reports calls that allocate more than in the plain program. When a panic is
// recovered while recorded scopes are open, go allocates an object for the remaining deferred
// calls. A call may allocate less if go inlines more into the function.
func (p *program) compareAllocations(name string, collects bool, got, want map[string]allocated) {
	if len(got) != len(want) {
		p.t.Errorf("%s: %d calls tell what they allocate, %d of the plain program", name, len(got), len(want))
	}
	for call, a := range want {
		most := a.objects
		if collects {
			most += a.panics
		}
		if g := got[call]; g.objects > most {
			p.t.Errorf("%s: %s allocates %d objects, plain %d, with %d panics", name, call, g.objects, a.objects, a.panics)
		}
	}
}

// withData adds the data file to a value of MARKGEN that collects data.
func withData(variable string) string {
	if variable == "" {
		return ""
	}
	return variable + ",file=data.markgen,report=none"
}

// report returns the counts in the data of the latest run, including open scopes if open is true,
// and removes the data.
func (p *program) report(open bool) map[place]uint64 {
	data := filepath.Join(p.dir, "data.markgen")
	defer os.Remove(data)
	var r struct {
		Markers []struct {
			Kind, File string
			Line       int
			Count      uint64
			Open       uint64 // open scopes
		}
	}
	if err := json.Unmarshal(must(p.t, p.dir, nil, p.markgen, "report", "-format", "json", data), &r); err != nil {
		p.t.Fatal(err)
	}
	places := map[place]uint64{}
	for _, m := range r.Markers {
		if open {
			m.Count += m.Open
		}
		if strings.HasSuffix(m.File, "main.go") && m.Count > 0 && (m.Kind == "func" || m.Kind == "loop" || m.Kind == "branch") {
			places[place{m.Kind, m.Line}] += m.Count
		}
	}
	return places
}

// passed returns the counts that the program prints.
func passed(stdout []byte) map[place]uint64 {
	places := map[place]uint64{}
	for line := range strings.Lines(string(stdout)) {
		var p place
		var n uint64
		if k, _ := fmt.Sscanf(line, "passed %s %d %d", &p.kind, &p.line, &n); k == 3 {
			places[p] = n
		}
	}
	return places
}

// sums returns the total count of each kind.
func sums(places map[place]uint64) map[string]uint64 {
	all := map[string]uint64{}
	for p, n := range places {
		all[p.kind] += n
	}
	return all
}

// outside returns the environment without the variables of programs and markers.
func outside() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "MARKGEN=") })
}

// must runs a command that must succeed and returns its output.
func must(t *testing.T, dir string, env []string, exe string, args ...string) []byte {
	t.Helper()
	stdout, _ := run(t, dir, env, exe, args...)
	return stdout
}

// run is must, but also returns stderr.
func run(t *testing.T, dir string, env []string, exe string, args ...string) (stdout, stderr []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir = dir
	cmd.Env = append(outside(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%.3000s", filepath.Base(exe), args, err, errs.Bytes())
	}
	return out.Bytes(), errs.Bytes()
}
