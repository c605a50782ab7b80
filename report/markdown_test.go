package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// Names with characters of markdown or HTML stay one cell of their row, and the report fits in a
// comment on GitHub however many markers there are.
func TestMarkdown(t *testing.T) {
	p := &profile.Profile{App: "<b>*a*</b>", Runs: 1, Complete: true, State: "stopped"}
	for i := range 2000 {
		p.Markers = append(p.Markers, profile.Marker{
			Name: fmt.Sprintf("m.a|b`c</pre>\n|x%d", i), Package: "m", Kind: "func", File: "a|b.go", Line: i + 1, Count: 1, SelfNS: 100,
			Buckets: []profile.Bucket{{K: 6, Count: 1, SumNS: 100, SumSq: profile.Uint128{Lo: 10000}}},
		})
	}
	text := reporttest.Write(t, p, report.Options{Format: "markdown"})
	if !strings.HasPrefix(text, `### markgen: \<b\>\*a\*\</b\>, 1 run, 2,000 markers, by self`+"\n") {
		t.Errorf("begins with %.200s", text)
	}
	table, details, _ := strings.Cut(text, "<details>")
	rows := regexp.MustCompile(`(?m)^\| .*\|$`).FindAllString(table, -1)
	if len(rows) != 2+15 || !strings.Contains(table, "And 1,985 other markers.") {
		t.Errorf("%d rows:\n%s", len(rows), table)
	}
	for _, row := range rows {
		if n := strings.Count(strings.ReplaceAll(row, `\|`, ""), "|"); n != 9 {
			t.Errorf("%d separators in %s", n, row)
		}
	}
	if len(text) > 65536 || strings.Count(details, "</pre>") != 1 || strings.Contains(details, "| x") || !strings.Contains(details, "-format text has it\n</pre>\n") {
		t.Errorf("details of %d bytes: %.300s … %s", len(details), details, details[max(0, len(details)-200):])
	}
}
