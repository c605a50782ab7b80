package report_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	layout "github.com/markgen/markgen/runtime"
)

// What is written is what promtool finds nothing to complain about.
func TestPromGolden(t *testing.T) {
	noSelf := demo()
	noSelf.Flags = layout.FlagNoSelf
	special := demo()
	special.Killed, special.Lost = true, 3
	special.Values = []string{"alloc\tbytes", "io\tread_bytes", "io\twrite_ops", "my cache\twaited_ns"}
	special.Tables[0].Read = map[int]profiletest.Read{
		1: {Scopes: [][2]uint64{{3, 0}, {2, 1}, {3, 0}}, Values: [][3]uint64{{3000, 1500}, {800, 9}, {4, 4}, {6_000_000, 5, 0}}},
	}
	odd := parse(t, special)
	odd.Markers[0].Off, odd.Markers[0].Open = "throttled", 2
	odd.Markers[1].Sample, odd.Markers[1].Samples = 100, 20
	odd.Markers[2].Name += " \"quoted\" \\ and\nin two lines"
	for _, tt := range []struct {
		file string
		p    *profile.Profile
	}{
		{"prom.txt", family()},
		{"prom-noself.txt", parse(t, noSelf)},
		{"prom-special.txt", odd},
		{"prom-nothing.txt", &profile.Profile{}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			text := write(t, tt.p, report.Options{Format: "prom"})
			golden.Check(t, tt.file, text)
			cmd := exec.Command("promtool", "check", "metrics")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("promtool check metrics: %v; sh scripts/need.sh promtool:prometheus installs it\n%s", err, out)
			}
		})
	}
}
