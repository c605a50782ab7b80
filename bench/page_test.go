package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPageTable(t *testing.T) {
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	a := figure{"scope: a", atMost(1.5), []float64{1.5, 1.25, 1.125}, "two rounds"}
	b := figure{"trace: b", atLeast(3).in("ms"), []float64{7}, ""}
	first := pageTable("", "go1.26.8", day, []figure{b, a, {name: "without a bar", values: []float64{1}}})
	if want := "\nfigure|bar|median|spread|met|date\n---|---|---|---|---|---\n" +
		"scope: a|≤ 1.5|1.25|1.12–1.5|yes|2026-12-01\ntrace: b|≥ 3 ms|7 ms|7–7|yes|2026-12-01\n"; !strings.HasSuffix(first, want) {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	a.values = []float64{2, 1, 3}
	second := pageTable(first, "go1.26.8", day.AddDate(0, 0, 1), []figure{a})
	if want := "\nscope: a|≤ 1.5|2|1–3|no|2026-12-02\ntrace: b|≥ 3 ms|7 ms|7–7|yes|2026-12-01\n"; !strings.HasSuffix(second, want) {
		t.Errorf("got\n%s\nwant\n%s", second, want)
	}
	if third := pageTable(second, "go1.27.4", day, []figure{a}); strings.Contains(third, "\ntrace: b|") {
		t.Errorf("figures of another release are kept:\n%s", third)
	}
}

// The page says what each subject is, and its rows are of subjects.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/explanation/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, s := range subjects {
		if !strings.Contains(page, "`"+s.name+"`") {
			t.Errorf("the subject %s is not explained", s.name)
		}
	}
	_, table, _ := strings.Cut(page, pageBegin)
	table, _, _ = strings.Cut(table, pageEnd)
	rows := slices.Collect(strings.Lines(table))[4:]
	for _, row := range rows {
		if subjectIndex(row) < 0 || strings.Count(row, "–") != 1 {
			t.Errorf("no subject, or no spread: %s", row)
		}
	}
}

// The values of a row are those of its repetitions, whatever was recorded in between.
func TestRecord(t *testing.T) {
	b := &bench{subject: "scope"}
	for _, v := range []float64{4, 1, 2, 8} {
		b.record("x", atMost(3), v, "")
		b.record("y", bar{}, -v, "")
	}
	if len(b.figures) != 2 || b.figures[0].name != "scope: x" || b.figures[0].value() != 3 ||
		b.figures[0].spread() != "1–8" || b.figures[0].met() != "yes" || b.figures[1].value() != -3 {
		t.Errorf("%+v", b.figures)
	}
}
