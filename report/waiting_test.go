package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// waiter returns a profile in which two markers have self times, of which the longer one is
// waiting.
func waiter(t *testing.T) *profile.Profile {
	p := reporttest.Parse(t, reporttest.Demo())
	for i, values := range [][]profile.Value{
		{{Name: "chan_ns", Sum: 990, Self: 990}, {Name: "run_ns", Sum: 10, Self: 10}},
		{{Name: "chan_ns", Sum: 100, Self: 100}, {Name: "run_ns", Sum: 300, Self: 300}},
	} {
		m := &p.Markers[i]
		m.Count, m.SelfNS = 1, []uint64{8e9, 4e9}[i]
		m.Buckets = []profile.Bucket{{K: 32, Count: 1, SumNS: m.SelfNS}}
		m.Readings = []profile.Reading{{Collector: profile.Wait, Scopes: 1, Values: values}}
	}
	p.Markers = p.Markers[:2]
	return p
}

// firstNames returns the names in the rows of the table.
func firstNames(text string) (names []string) {
	_, table, _ := strings.Cut(text, "\nname ")
	for _, line := range strings.Split(table, "\n")[1:] {
		if line == "" {
			break
		}
		names = append(names, strings.Fields(line)[0])
	}
	return names
}

// If running times are known, markers are sorted by them and shares refer to them.
func TestWaitingInText(t *testing.T) {
	p := waiter(t)
	const waits, runs = "(*Cart).Total", "(*Cart).Total:for#1"
	text := reporttest.Write(t, p, report.Options{})
	_, head, _ := strings.Cut(text, "\nname ")
	head, _, _ = strings.Cut(head, "\n")
	if got := strings.Join(strings.Fields(head), " "); got != "kind count total self running waiting share mean min p50 p99 max place" {
		t.Errorf("the columns are %s", got)
	}
	for order, want := range map[string][]string{"": {runs, waits}, "running": {runs, waits}, "waiting": {waits, runs}, "self": {waits, runs}} {
		if got := firstNames(reporttest.Write(t, p, report.Options{Sort: order})); !slices.Equal(got, want) {
			t.Errorf("-sort %q: %s, want %s", order, got, want)
		}
	}
	for _, part := range []string{" 4.00s  3.00s  1.00s  97.4% ", " 8.00s  80.0ms  7.92s  2.6% ", " chan_ns "} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	for cpu, want := range map[uint64]string{3_080_000_000: "8.92s of the self times, 12.0s in all\n", 1_080_000_000: "8.92s of the self times, 12.0s in all; 2.00s of the rest was not on a processor either\n"} {
		p.Cost = &profile.Cost{Runs: uint64(p.Runs), CPUNS: cpu}
		if text := reporttest.Write(t, p, report.Options{}); !strings.Contains(text, "\nwaiting   "+want) {
			t.Errorf("with %d ns of processor time: no %q in\n%s", cpu, want, text)
		}
	}
	if text := reporttest.Write(t, p, report.Options{NoWaits: true}); strings.Contains(text, "chan_ns") {
		t.Errorf("what was waited for is there:\n%s", text)
	}
}

func TestWaitingOnPage(t *testing.T) {
	p := waiter(t)
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
