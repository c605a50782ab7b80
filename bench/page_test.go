package main

import (
	"strings"
	"testing"
	"time"
)

func TestPageTable(t *testing.T) {
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	a := figure{"a", atMost(1.5), 1.25, "two rounds"}
	b := figure{"b", atLeast(3), 7, ""}
	first := pageTable("", "go1.26.8", day, []figure{a, b})
	if want := "a|≤ 1.5|1.25|yes|2026-12-01\nb|≥ 3|7|yes|2026-12-01\n"; !strings.HasSuffix(first, want) {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	a.value = 2
	second := pageTable(first, "go1.26.8", day.AddDate(0, 0, 1), []figure{a})
	if want := "a|≤ 1.5|2|no|2026-12-02\nb|≥ 3|7|yes|2026-12-01\n"; !strings.HasSuffix(second, want) {
		t.Errorf("got\n%s\nwant\n%s", second, want)
	}
	if third := pageTable(second, "go1.27.4", day, []figure{a}); strings.Contains(third, "\nb|") {
		t.Errorf("figures of another release are kept:\n%s", third)
	}
}
