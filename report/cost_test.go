package report_test

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// Markers that are off cost a test for each execution, but none where they follow the call of their
// function.
func TestCostOff(t *testing.T) {
	for _, tt := range []struct {
		follows bool
		want    string
	}{
		{false, "off       some 15.8% without MARKGEN\n"},
		{true, "off       some <0.1% without MARKGEN\n"},
	} {
		p := reporttest.Parse(t, reporttest.Demo())
		p.Cost = &profile.Cost{Runs: 1, CPUNS: 1_250_000_000, MarkersNS: 300_000_000}
		for i := range p.Markers {
			if m := &p.Markers[i]; m.Kind == "block" {
				m.FollowsCall = tt.follows
			}
		}
		var text strings.Builder
		if err := report.Write(&text, p, report.Options{Cost: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), tt.want) {
			t.Errorf("follows %v: want %q in\n%s", tt.follows, tt.want, text.String())
		}
	}
}
