package report_test

import (
	"slices"
	"testing"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// The columns of running and waiting times sort the table.
func TestWaitingOnPage(t *testing.T) {
	p := reporttest.Waiter(t)
	waits, runs := p.Markers[0].Name, p.Markers[1].Name
	v := open(t, p, report.Options{}, window(1600, 900))
	for _, step := range []struct {
		click string
		want  []string
	}{{"", []string{runs, waits}}, {"waiting", []string{waits, runs}}, {"running", []string{runs, waits}}, {"self", []string{waits, runs}}, {"share", []string{runs, waits}}} {
		if step.click != "" {
			v.click("#markers thead th." + step.click + " button")
		}
		if got := v.names(); !slices.Equal(got, step.want) {
			t.Errorf("by %q: %s, want %s", step.click, got, step.want)
		}
	}
	expect(v, `["self", "running", "waiting"].map((c) => document.querySelector("#markers tbody td." + c).textContent)`, []string{"4.00s", "3.00s", "1.00s"})
	expect(v, `document.querySelector("#markers tbody td.running").title`, "3,000,000,000 ns")
}
