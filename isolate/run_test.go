package isolate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
)

// A simulated is a scenario without processes. Its functions are named by letters; stacks has a
// word for each call stack, outermost function first.
type simulated struct {
	functions string
	stacks    []string
	calls     func(pass int, f byte) uint64 // number of calls; nil for 10
	code      func(pass int) int
	stop      int // pass that is interrupted; 0 for none
	shared    func(pass int, f byte) bool
	ns        func(pass int, f byte) uint64 // time of a call; nil for 8

	passes []string // functions that were on in each pass
}

var errStopped = errors.New("stopped")

func idOf(f byte) registry.ID { return registry.ID(f) }

func (s *simulated) Run(_ context.Context, keys string, only []*profile.Marker) (*Pass, error) {
	on := s.functions
	if only != nil {
		on = ""
		for _, m := range only {
			on += strings.TrimPrefix(m.Name, "p.")
		}
	}
	if len(s.passes)+1 == s.stop {
		s.stop = 0
		return nil, errStopped
	}
	s.passes = append(s.passes, on)
	pass := len(s.passes)
	p := &profile.Profile{Runs: 1, Complete: true}
	if strings.Contains(keys, "pairs") {
		pairs := map[profile.Pair]bool{}
		for _, stack := range s.stacks {
			for i := range stack {
				for k := range i {
					pairs[profile.NewPair(idOf(stack[i]), idOf(stack[k]))] = true
				}
			}
		}
		p.Pairs = &profile.Pairs{Runs: 1, List: slices.SortedFunc(maps.Keys(pairs), func(a, b profile.Pair) int {
			return slices.Compare(a[:], b[:])
		})}
	}
	for i := range s.functions {
		f := s.functions[i]
		m := profile.Marker{ID: idOf(f), Name: "p." + string(f), Package: "p", Kind: "func", File: "p.go", Line: i + 1}
		n := uint64(10)
		if s.calls != nil {
			n = s.calls(pass, f)
		}
		if strings.IndexByte(on, f) >= 0 && n > 0 {
			ns := uint64(8)
			if s.ns != nil {
				ns = s.ns(pass, f)
			}
			m.Count, m.MinNS, m.MaxNS, m.SelfNS = n, ns, ns, n*ns
			if s.shared != nil && s.shared(pass, f) {
				m.SelfNS--
			}
			m.Buckets = []profile.Bucket{{K: 3, Count: n, SumNS: n * ns, SumSq: profile.Uint128{Lo: n * ns * ns}}}
		}
		p.Markers = append(p.Markers, m)
	}
	out := &Pass{Profile: p, Took: 1, Output: []byte(fmt.Sprintf("pass %d\n", pass))}
	if s.code != nil {
		out.Code = s.code(pass)
	}
	return out, nil
}

func api(m *profile.Marker) bool { return true }

// text returns the text output of a result.
func text(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Functions that share a stack are in different passes, others in the same; functions that were not
// reached are in the first group.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		functions string
		stacks    []string
		exact     bool
		want      []string
	}{
		{"ABC", []string{"A", "B", "C"}, false, []string{"ABC", "ABC"}},
		{"ABC", []string{"ABC"}, false, []string{"ABC", "A", "B", "C"}},
		{"ABCD", []string{"AB", "AC", "AD"}, false, []string{"ABCD", "A", "BCD"}},
		{"ABCD", []string{"AA", "ABA", "CD"}, false, []string{"ABCD", "AC", "BD"}},
		{"ABC", []string{"A"}, true, []string{"ABC", "A", "B", "C"}},
	} {
		s := &simulated{functions: tt.functions, stacks: tt.stacks}
		r, err := Run(t.Context(), s, Options{API: api, Exact: tt.exact})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, s.passes); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tt.stacks, diff)
		}
		for _, f := range r.Functions {
			if f.Count != 10 || f.MeanNS() != 8 || f.First != 10 {
				t.Errorf("%s: %d calls of %v, %d in the first pass", f.Name, f.Count, f.MeanNS(), f.First)
			}
			if want := slices.ContainsFunc(tt.stacks, func(s string) bool { return strings.Count("p."+s, f.Name[2:]) > 1 }); f.Recursive != want {
				t.Errorf("%s: recursive %v", f.Name, f.Recursive)
			}
		}
		if r.Profile.Runs != len(s.passes) || !r.Profile.NoSelf || len(r.Profile.Markers) != len(tt.functions) {
			t.Errorf("profile of %d runs with %d markers", r.Profile.Runs, len(r.Profile.Markers))
		}
	}
}

// Differences between passes are reported for each function.
func TestVarying(t *testing.T) {
	s := &simulated{functions: "ABCDE", stacks: []string{"AB", "AC"}, calls: func(pass int, f byte) uint64 {
		switch {
		case f == 'B' && pass > 1:
			return 0 // a call vanishes
		case f == 'C':
			return uint64(10 * pass)
		case f == 'D' && pass == 1, f == 'E':
			return 0 // D appears
		}
		return 10
	}, shared: func(pass int, f byte) bool { return f == 'A' && pass == 2 }, code: func(pass int) int { return pass / 2 }}
	var shown []string
	r, err := Run(t.Context(), s, Options{API: api, Runs: 2, Failed: func(name string, p *Pass) { shown = append(shown, name+": "+string(p.Output)) }})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"group 1 of 2, run 1 of 2: pass 2\n"}; !slices.Equal(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	got := text(t, r)
	for _, want := range []string{
		"A            20  8.00ns  0  8.00ns  8.00ns  8.00ns      1  not alone on its stack: -exact times it alone\n",
		"B             0       -  -       -       -       -      -  vanished: 10 calls in the first pass\n",
		"C            80  8.00ns  0  8.00ns  8.00ns  8.00ns      2  10 to 50 calls a pass\n",
		"D            20  8.00ns  0  8.00ns  8.00ns  8.00ns      1  appeared: not in the first pass\n",
		"4 functions in 2 groups, the fewest there can be; 5 passes of the scenario in ",
		"failed: group 1 of 2, run 1 of 2: exit code 1; what ran until then is in the table\n",
		"not reached by the scenario: 1 function\n  E  p.go:5\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

// The standard error of a mean is that of the differences between passes, if there are several,
// otherwise that of single calls.
func TestStandardError(t *testing.T) {
	s := &simulated{functions: "AB", ns: func(pass int, f byte) uint64 {
		if f == 'A' {
			return 8 + uint64(pass)%2
		}
		return 8
	}, calls: func(_ int, f byte) uint64 {
		if f == 'B' {
			return 1
		}
		return 1000
	}}
	for _, tt := range []struct {
		runs int
		want []string // of A and B
	}{
		{1, []string{"A 1,000 8.00ns 0 ", "B 1 8.00ns - "}},
		// Passes of 8 and 9 ns: 0.5 ns from the mean of 8.5, which is also the standard error.
		{2, []string{"A 2,000 8.50ns 5.9% ", "B 2 8.00ns 0 "}},
	} {
		r, err := Run(t.Context(), s, Options{API: api, Runs: tt.runs})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.want {
			line := regexp.MustCompile(`(?m)^` + want[:1] + ` .*$`).FindString(text(t, r))
			if !strings.HasPrefix(strings.Join(strings.Fields(line), " "), want) {
				t.Errorf("%d runs, function %d: %q, want %q", tt.runs, i, line, want)
			}
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if want := map[int]string{1: `"mean_se_ns": null`, 2: `"mean_se_ns": 0.5,`}[tt.runs]; !strings.Contains(b.String(), want) {
			t.Errorf("%d runs: no %s in\n%s", tt.runs, want, b.String())
		}
	}
	f := &Function{Marker: &profile.Marker{Count: 5, Buckets: []profile.Bucket{{K: 3, Count: 5, SumNS: 50, SumSq: profile.Uint128{Lo: 540}}}}}
	if se, ok := f.StandardError(); !ok || se != math.Sqrt2 { // deviation √8, over √4
		t.Errorf("of one pass %v, %v", se, ok)
	}
}

// Passes in a store are not repeated, and the result is the same.
func TestStore(t *testing.T) {
	want := &simulated{functions: "ABCDE", stacks: []string{"ABC", "DE"}}
	whole, err := Run(t.Context(), want, Options{API: api, Runs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop <= 7; stop++ {
		dir := t.TempDir()
		store, err := OpenStore(dir, "build")
		if err != nil {
			t.Fatal(err)
		}
		s := &simulated{functions: want.functions, stacks: want.stacks, stop: stop}
		if _, err := Run(t.Context(), s, Options{API: api, Runs: 2, Store: store}); err != errStopped {
			t.Fatalf("stopped in pass %d: %v", stop, err)
		}
		if store, err = OpenStore(dir, "build"); err != nil {
			t.Fatal(err)
		}
		if n := store.Done(); n != stop-1 {
			t.Errorf("stopped in pass %d, %d are there", stop, n)
		}
		r, err := Run(t.Context(), s, Options{API: api, Runs: 2, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.passes, s.passes); diff != "" {
			t.Errorf("stopped in pass %d: passes (-want +got)\n%s", stop, diff)
		}
		if got, want := text(t, r), text(t, whole); got != want {
			t.Errorf("stopped in pass %d:\n%s\nin one go:\n%s", stop, got, want)
		}
		// A third time there is nothing to do, and more runs add to the existing ones.
		if store, err = OpenStore(dir, "build"); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), s, Options{API: api, Runs: 3, Store: store}); err != nil || len(s.passes) != len(want.passes)+3 {
			t.Errorf("%v, %d passes, want three more than %d", err, len(s.passes), len(want.passes))
		}
		if _, err := OpenStore(dir, "another"); err == nil || !strings.Contains(err.Error(), "holds passes of another build") {
			t.Errorf("of another build: %v", err)
		}
	}
}

// Nothing to measure, and nothing measured.
func TestNothing(t *testing.T) {
	r, err := Run(t.Context(), &simulated{functions: "AB", calls: func(int, byte) uint64 { return 0 }}, Options{API: api})
	if err != nil || r.Passes != 1 || !strings.Contains(text(t, r), "not reached by the scenario: 2 functions") {
		t.Errorf("%v, %+v", err, r)
	}
}
