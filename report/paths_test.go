package report_test

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// recursive returns a profile in which walk calls itself twice and a helper, on paths of their own.
func recursive() *profile.Profile {
	walk := profile.Marker{ID: 1, Name: "tree.walk", Package: "tree", Kind: "func", File: "tree.go", Line: 3, Count: 7, SelfNS: 70, NestedNS: 100, Buckets: []profile.Bucket{{K: 4, Count: 7, SumNS: 200}}}
	visit := profile.Marker{ID: 2, Name: "tree.visit", Package: "tree", Kind: "func", File: "tree.go", Line: 9, Count: 4, SelfNS: 30, Buckets: []profile.Bucket{{K: 2, Count: 4, SumNS: 30}}}
	p := &profile.Profile{App: "tree", Runs: 1, Complete: true, State: "stopped", Markers: []profile.Marker{visit, walk}}
	p.Paths = profile.NewPaths([]profile.Path{
		{Parent: -1, ID: 1, Count: 1, SumNS: 100, SelfNS: 10},
		{Parent: 0, ID: 1, Count: 2, SumNS: 90, NestedNS: 90, SelfNS: 50},
		{Parent: 1, ID: 1, Count: 4, SumNS: 40, NestedNS: 40, SelfNS: 10},
		{Parent: 2, ID: 2, Count: 4, SumNS: 30, SelfNS: 30},
	})
	return p
}

// The formats that show call paths as text.
func TestPathsGolden(t *testing.T) {
	small := reporttest.WithPaths(t)
	small.Paths.Nodes[3].SumNS, small.Paths.Nodes[3].SelfNS = 1, 1
	small.Paths.Nodes[0].Label = "a;b\nc"
	noSelf := reporttest.WithPaths(t)
	noSelf.NoSelf = true
	for i := range noSelf.Paths.Nodes {
		noSelf.Paths.Nodes[i].SelfNS = 0
	}
	filtered := reporttest.WithPaths(t).Only(func(name string) bool { return !strings.Contains(name, "Total") })
	for _, tt := range []struct {
		file string
		p    *profile.Profile
		o    report.Options
	}{
		{"text-paths.txt", reporttest.WithPaths(t), report.Options{Paths: true}},
		{"text-paths-60.txt", small, report.Options{Paths: true, Width: 60, Top: 1}},
		{"text-paths-noself.txt", noSelf, report.Options{Paths: true, Top: 1}},
		{"text-paths-filtered.txt", filtered, report.Options{Paths: true, Top: 1}},
		{"text-paths-recursive.txt", recursive(), report.Options{Paths: true, Top: 1}},
		{"text-paths-mutual.txt", reporttest.Mutual(), report.Options{Paths: true, Top: 1}},
		{"folded.txt", reporttest.WithPaths(t), report.Options{Format: "folded"}},
		{"folded-small.txt", small, report.Options{Format: "folded"}},
		{"folded-noself.txt", noSelf, report.Options{Format: "folded"}},
		{"folded-recursive.txt", recursive(), report.Options{Format: "folded"}},
	} {
		t.Run(tt.file, func(t *testing.T) { golden.Check(t, tt.file, reporttest.Write(t, tt.p, tt.o)) })
	}
}

// Without call paths the formats that need them say how to record them, and write nothing.
func TestPathsMissing(t *testing.T) {
	for _, o := range []report.Options{{Paths: true}, {Format: "folded"}} {
		var b strings.Builder
		err := report.Write(&b, reporttest.Parse(t, reporttest.Demo()), o)
		if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "markgen run -paths") {
			t.Errorf("%+v: %v, and %d bytes written", o, err, b.Len())
		}
	}
}
