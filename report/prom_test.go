package report_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/runtime/layout"
)

// promtool reports no problems in the output.
func TestPromGolden(t *testing.T) {
	noSelf := reporttest.Demo()
	noSelf.Flags = layout.FlagNoSelf
	special := reporttest.Demo()
	special.Killed, special.Lost = true, 3
	special.Values = []string{"alloc\tbytes", "io\tread_bytes", "io\twrite_ops", "my cache\twaited_ns"}
	special.Tables[0].Read = map[int]profiletest.Read{
		1: {Scopes: [][2]uint64{{3, 0}, {2, 1}, {3, 0}}, Values: [][3]uint64{{3000, 1500}, {800, 9}, {4, 4}, {6_000_000, 5, 0}}},
	}
	odd := reporttest.Parse(t, special)
	odd.Markers[0].Off, odd.Markers[0].Open = "throttled", 2
	odd.Markers[1].Sample, odd.Markers[1].Samples = 100, 20
	odd.Markers[2].Name += " \"quoted\" \\ and\nin two lines\x1b[31m"
	for _, tt := range []struct {
		file    string
		p       *profile.Profile
		buckets bool
	}{
		{"prom.txt", reporttest.Family(), false},
		{"prom-buckets.txt", reporttest.Family(), true},
		{"prom-noself.txt", reporttest.Parse(t, noSelf), false},
		{"prom-special.txt", odd, false},
		{"prom-nothing.txt", &profile.Profile{}, false},
	} {
		t.Run(tt.file, func(t *testing.T) {
			text := reporttest.Write(t, tt.p, report.Options{Format: "prom", Buckets: tt.buckets})
			golden.Check(t, tt.file, text)
			cmd := exec.Command("promtool", "check", "metrics")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("promtool check metrics: %v; sh scripts/need.sh promtool:prometheus installs it\n%s", err, out)
			}
		})
	}
}

// The number of time series depends on the number of markers, and not on the distribution of their
// times unless that is requested.
func TestPromSeries(t *testing.T) {
	const markers, factors = 4800, 20
	p := &profile.Profile{Runs: 1}
	for i := range markers {
		m := profile.Marker{ID: registry.ID(i + 1), Kind: "func", Name: fmt.Sprintf("example.com/many.f%d", i), Package: "example.com/many", MinNS: 2, MaxNS: 1 << factors}
		for k := range factors {
			m.Buckets = append(m.Buckets, profile.Bucket{K: uint8(k + 1), Count: 1, SumNS: 2 << k})
			m.Count++
		}
		p.Markers = append(p.Markers, m)
	}
	for _, tt := range []struct {
		buckets bool
		want    int // per marker
	}{
		{false, 9},
		{true, 9 + 1 + factors + 1}, // with an empty bucket below, and le="+Inf"
	} {
		got := 0
		for line := range strings.Lines(reporttest.Write(t, p, report.Options{Format: "prom", Buckets: tt.buckets})) {
			if strings.Contains(line, `marker="`) {
				got++
			}
		}
		if got != tt.want*markers {
			t.Errorf("with buckets %v there are %d series of %d markers, want %d", tt.buckets, got, markers, tt.want*markers)
		}
	}
}
