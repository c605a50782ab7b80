package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

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
	p := reporttest.Waiter(t)
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
