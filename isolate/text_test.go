package isolate

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
)

func TestDeclared(t *testing.T) {
	of := Declared([]string{"p"})
	for _, tt := range []struct {
		kind, path, name string
		want             bool
	}{
		{"func", "p", "p.F", true}, {"func", "p", "p.f", true}, {"func", "p", "p.(*t).m", true},
		{"func", "p", "p.F:func#1", false}, {"loop", "p", "p.F:for#1", false}, {"func", "q", "q.F", false},
	} {
		if got := of(&profile.Marker{Kind: tt.kind, Package: tt.path, Name: tt.name}); got != tt.want {
			t.Errorf("%s %s: %t", tt.kind, tt.name, got)
		}
	}
}

// A once is a scenario whose passes are all the same.
type once struct{ pass *Pass }

func (s once) Run(context.Context, string, []*profile.Marker) (*Pass, error) { return s.pass, nil }

// of returns a pass with one function.
func of(m profile.Marker) *Pass {
	m.ID, m.Name, m.Package, m.Kind = 1, "p.F", "p", "func"
	m.Count, m.MinNS, m.MaxNS, m.SelfNS = 10, 8, 8, 80
	m.Buckets = []profile.Bucket{{K: 3, Count: 10, SumNS: 80, SumSq: profile.Uint128{Lo: 640}}}
	return &Pass{Profile: &profile.Profile{Runs: 1, Complete: true, Pairs: &profile.Pairs{Runs: 1}, Markers: []profile.Marker{m}}}
}

// Allocations per call, if they were read, are columns of the table and part of the JSON.
func TestAllocations(t *testing.T) {
	reading := profile.Reading{Collector: profile.Alloc, Scopes: 10, Values: []profile.Value{{Name: profile.AllocBytes, Sum: 25}, {Name: profile.AllocObjects, Sum: 20}}}
	r, err := Run(t.Context(), once{of(profile.Marker{Readings: []profile.Reading{reading}})}, Options{API: api})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text(t, r), "\n")
	for i, want := range []string{"package p", "", "function calls mean ± p50 p99 max B/call allocs/call group notes", "F 10 8.00ns 0 8.00ns 8.00ns 8.00ns 2.50 2 1"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(strings.Fields(b.String()), ""), `"alloc":{"bytes":2.5,"objects":2}`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
	if r, err = Run(t.Context(), once{of(profile.Marker{})}, Options{API: api}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, r); strings.Contains(got, "/call") {
		t.Errorf("nothing was read, and there are columns for it:\n%s", got)
	}
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 2: "2", 2.5: "2.50", 99.994: "99.99", 100.5: "101", 1234.4: "1,234"} {
		if got := significant(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// If the first pass is killed, the result has no other pass; without data or pairs it is an error.
func TestFirstPass(t *testing.T) {
	ended := of(profile.Marker{})
	ended.TimedOut, ended.Took = true, time.Second
	var shown []string
	r, err := Run(t.Context(), once{ended}, Options{API: api, Failed: func(name string, p *Pass) { shown = append(shown, name+": "+p.How()) }})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(append(shown, text(t, r)), "\n")
	for _, want := range []string{"first pass: ended by the time limit", "in the first pass, not timed", "failed: first pass: ended by the time limit; what ran until then is in the table"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if len(r.Functions) != 1 || r.Passes != 1 {
		t.Errorf("%d functions of %d passes", len(r.Functions), r.Passes)
	}

	nothing := (*NoDataError)(nil)
	if _, err := Run(t.Context(), once{&Pass{Profile: &profile.Profile{}}}, Options{API: api}); !errors.As(err, &nothing) {
		t.Errorf("no data: %v", err)
	}
	pairless := of(profile.Marker{})
	pairless.Profile.Pairs = nil
	if _, err := Run(t.Context(), once{pairless}, Options{API: api}); err == nil || !strings.HasPrefix(err.Error(), "which functions share a stack was not recorded: ") {
		t.Errorf("no pairs: %v", err)
	}
}
