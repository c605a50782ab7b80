package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
)

// A madeUp is a scenario without processes.
type madeUp func(pass int) (*isolate.Pass, error)

func (m *madeUp) Run(_ context.Context, _ string, only []*profile.Marker) (*isolate.Pass, error) {
	pass := 1
	if only != nil {
		pass = 2
	}
	return (*m)(pass)
}

// The messages about passes, whatever the passes run.
func TestIsolateTold(t *testing.T) {
	pass := func(calls uint64, code int, names ...string) *isolate.Pass {
		p := &profile.Profile{Runs: 1, Complete: true, Pairs: &profile.Pairs{Runs: 1}}
		for i, name := range names {
			m := profile.Marker{ID: 1, Name: "p." + name, Package: "p", Kind: "func", File: "p.go", Line: i + 1, Count: calls, MinNS: 8, MaxNS: 8, SelfNS: calls * 8}
			m.Buckets = []profile.Bucket{{K: 3, Count: calls, SumNS: calls * 8, SumSq: profile.Uint128{Lo: calls * 64}}}
			if calls == 0 {
				m.Buckets, m.MinNS, m.MaxNS = nil, 0, 0
			}
			p.Markers = append(p.Markers, m)
		}
		return &isolate.Pass{Profile: p, Code: code, Output: []byte("it printed this\n")}
	}
	always := func(p *isolate.Pass) madeUp { return func(int) (*isolate.Pass, error) { return p, nil } }
	for _, tt := range []struct {
		what           string
		scenario       madeUp
		own            isolateFlags
		code           int
		stdout, stderr []string
	}{
		{"all well", always(pass(10, 0, "F")), isolateFlags{}, cli.OK, []string{"F 20 8.00ns", "1 function in 1 group"}, nil},
		{"as JSON", always(pass(10, 0, "F")), isolateFlags{json: true}, cli.OK, []string{`"name": "p.F"`}, nil},
		{"kept", always(pass(10, 0, "F")), isolateFlags{out: "kept"}, cli.OK, []string{"F 20"}, []string{"the profile is in " + filepath.Join("kept", "profile.markgen")}},
		{
			"the second pass fails", func(n int) (*isolate.Pass, error) { return pass(10, n-1, "F"), nil }, isolateFlags{}, cli.Failure,
			[]string{"F 20", "failed: group 1 of 1"},
			[]string{"it printed this\n", "warning: the scenario failed in the group 1 of 1", "(exit code 1); what later passes that fail print is not shown\n"},
		},
		{"nothing exported", always(pass(10, 0, "f")), isolateFlags{}, cli.OK, nil, []string{"warning: no exported functions of p are in what ran"}},
		{"all of none", always(pass(10, 0)), isolateFlags{all: true}, cli.OK, nil, []string{"warning: no functions of p are in what ran"}},
		{"not exported, but all", always(pass(10, 0, "f")), isolateFlags{all: true}, cli.OK, []string{"f 20"}, nil},
		{"nothing reached", always(pass(0, 0, "F")), isolateFlags{}, cli.OK, []string{"not reached by the scenario: 1 function"}, []string{"the scenario reached no function; -bench=. runs benchmarks"}},
		{"no data", always(&isolate.Pass{Profile: &profile.Profile{}, Output: []byte("it printed this\n")}), isolateFlags{}, cli.Failure, nil, []string{"it printed this\n", "no data: "}},
		{"it cannot be run", func(int) (*isolate.Pass, error) { return nil, errors.New("there is no such thing") }, isolateFlags{}, cli.Failure, nil, []string{"markgen isolate: there is no such thing\n"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			dir := t.TempDir()
			env := (&cli.Env{Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: append(os.Environ(), "TMPDIR="+dir)}).Running(program, cmdIsolate)
			tt.own.runs = 2
			w := &isolateWork{env: env, own: &tt.own, packages: []string{"p"}, build: "build", scenario: &tt.scenario}
			if err := w.openStore(); err != nil {
				t.Fatal(err)
			}
			if code := w.run(t.Context()); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			w.close()
			out := strings.Join(strings.Fields(stdout.String()), " ")
			for _, want := range tt.stdout {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, stdout.String())
				}
			}
			for _, want := range tt.stderr {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("no %q in\n%s", want, stderr.String())
				}
			}
			if len(tt.stderr) == 0 && stderr.Len() > 0 {
				t.Errorf("it says:\n%s", stderr.String())
			}
			left, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if kept := tt.own.out != ""; len(left) > 0 != kept {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// Commands that isolate does not build, and invalid ones.
func TestIsolateCommand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": "package p\n\nfunc F() {}\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"./p -- go version":           "markgen isolate: no data: no program with markers ran and collected",
		"./p -- ./missing":            "missing",
		"./p -- go run ./missing":     "missing",
		"-deep ./p -- ./ready":        "-deep, -sizes and -config are for what isolate builds, and ./ready is there; build it with markgen build and these flags",
		"./p -- go test -c ./p":       "-c of go test is of no use here",
		"-o go.mod ./p -- go version": "name a directory for the passes with -o",
		"./missing -- go version":     "missing",
		"-short -o work ./p":          "-o of go test is of no use here; markgen's own flags come before go's",
		"./p --":                      "no command behind --",
		"-runs 0 ./p":                 "-runs 0: give a number of runs, 1 or more",
		"-run X -exact ./p":           "-exact is a flag of markgen's; write it before go's flags and the packages",
	} {
		var stdout, stderr bytes.Buffer
		code := Main(&cli.Env{
			Args: append([]string{"isolate"}, strings.Fields(args)...), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir,
			Environ: append(os.Environ(), "GOFLAGS=", "GOWORK=off", "MARKGEN=", "PWD="+dir),
		})
		if code == cli.OK || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, no %q in\n%s", args, code, want, stderr.String())
		}
	}
}

func TestWithAlloc(t *testing.T) {
	for collect, want := range map[string]string{"": "time+alloc", "time+io": "time+io+alloc", "time+alloc": "time+alloc"} {
		if got := withAlloc(collect); got != want {
			t.Errorf("%q: %q, want %q", collect, got, want)
		}
	}
}

// The exit code of a failed build, and the message that remains to be printed.
func TestFailBuild(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(interrupt.Error{Signal: os.Interrupt})
	for _, tt := range []struct {
		ctx  context.Context
		code int
		err  error
		want int
		said string
	}{
		{t.Context(), cli.Usage, errBuild, cli.Usage, ""},
		{t.Context(), cli.OK, errBuild, cli.Failure, ""},
		{t.Context(), cli.OK, errors.New("it is full"), cli.Failure, "markgen isolate: it is full\n"},
		{interrupted, cli.Failure, errBuild, 130, ""},
	} {
		var stderr bytes.Buffer
		if got := failBuild(tt.ctx, (&cli.Env{Stderr: &stderr}).Running(program, cmdIsolate), tt.code, tt.err); got != tt.want || stderr.String() != tt.said {
			t.Errorf("%v: exit code %d, %q", tt.err, got, stderr.String())
		}
	}
}

// A pass has an exit code and output; in that of a group, other markers are off. A scenario that
// cannot be run, or is interrupted, is no pass.
func TestIsolatePass(t *testing.T) {
	dir := t.TempDir()
	interrupted, cancel := context.WithCancelCause(t.Context())
	broken := errors.New("it is broken")
	var keys, on string
	run := func(code int, err error) scenarioFunc {
		return func(ctx context.Context, c *overlay.Collection, output *os.File) (int, error) {
			environ := c.Environ(nil)
			keys = environ[len(environ)-1]
			text, _ := os.ReadFile(filepath.Join(c.Dir(), "only"))
			on = string(text)
			_, _ = output.WriteString("it printed this\n")
			switch err {
			case context.DeadlineExceeded:
				<-ctx.Done()
			case context.Canceled:
				cancel(interrupt.Error{Signal: os.Interrupt})
				err = nil
			}
			return code, err
		}
	}
	only := []*profile.Marker{{ID: 1}, {ID: 0xabc}}
	for _, tt := range []struct {
		what           string
		run            scenarioFunc
		build          error
		limit          time.Duration
		only           []*profile.Marker
		code           int
		timedOut       bool
		err            error
		on, keys, none string
	}{
		{what: "the first", run: run(0, nil), keys: "MARKGEN=clock=mono,collect=time,pairs", none: "only="},
		{what: "of a group", run: run(3, nil), only: only, code: 3, on: "0000000000000001\n0000000000000abc\n", keys: ",only=@"},
		{what: "too long", run: run(137, context.DeadlineExceeded), limit: time.Millisecond, code: 137, timedOut: true},
		{what: "not run", run: run(1, broken), err: broken},
		{what: "not built", build: broken, err: broken},
		{what: "interrupted", run: run(1, context.Canceled), err: interrupt.Error{Signal: os.Interrupt}}, // last, since the context stays interrupted
	} {
		env := &cli.Env{Dir: dir, Environ: append(os.Environ(), "TMPDIR="+dir, "MARKGEN=")}
		w := &isolateWork{env: env, own: &isolateFlags{timeout: cmp.Or(tt.limit, time.Hour)}, keys: []string{"clock=mono"}}
		s := &isolateScenario{w, func(context.Context, []*profile.Marker) (scenarioFunc, error) { return tt.run, tt.build }}
		keys, on = "", ""
		pass, err := s.Run(interrupted, "collect=time,pairs", tt.only)
		if err != tt.err {
			t.Errorf("%s: %v, want %v", tt.what, err, tt.err)
		}
		if on != tt.on || !strings.Contains(keys, tt.keys) || tt.none != "" && strings.Contains(keys, tt.none) {
			t.Errorf("%s: %s with %q on", tt.what, keys, on)
		}
		if tt.err == nil && (pass.Code != tt.code || pass.TimedOut != tt.timedOut || string(pass.Output) != "it printed this\n" || pass.Profile.Runs != 0) {
			t.Errorf("%s: %+v", tt.what, pass)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Markers are planted in the functions that the table is about.
func TestIsolateKeeps(t *testing.T) {
	for _, tt := range []struct {
		kind, name    string
		exported, all bool
	}{
		{rewrite.KindFunc, "p.F", true, true}, {rewrite.KindFunc, "p.f", false, true}, {rewrite.KindFunc, "p.F:func#1", false, false}, {rewrite.KindLoop, "p.F:for#1", false, false},
	} {
		for _, all := range []bool{false, true} {
			w := &isolateWork{own: &isolateFlags{all: all}, packages: []string{"p"}}
			want := all && tt.all || !all && tt.exported
			planted := w.keeps(&rewrite.Point{Point: registry.Point{Kind: tt.kind, Package: "p", Name: tt.name}})
			if listed := w.api()(&profile.Marker{Kind: tt.kind, Package: "p", Name: tt.name}); planted != want || listed != want {
				t.Errorf("%s, all %t: planted %t, listed %t", tt.name, all, planted, listed)
			}
		}
	}
}
