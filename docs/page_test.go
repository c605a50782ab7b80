package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A page is a page of the documentation.
type page struct {
	name   string // file name relative to the root of the repository
	prose  string // text outside blocks
	blocks []block
}

// words returns the number of words of the page, including its blocks.
func (p page) words() int {
	n := len(strings.Fields(p.prose))
	for _, b := range p.blocks {
		n += len(strings.Fields(b.text))
	}
	return n
}

// A block is a fenced block.
type block struct {
	line int    // line of the opening fence
	lang string // info string of the opening fence
	text string
}

// languages lists the fences that a page may have. There is none for commands that are not run.
var languages = map[string]bool{"sh": true, "text": true, "go": true, "yaml": true, "json": true}

// pages reads README.md and the pages in docs.
func pages(t *testing.T) []page {
	t.Helper()
	list := []page{readPage(t, "README.md")}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			list = append(list, readPage(t, "docs/"+path))
		}
		return err
	})
	if err != nil || len(list) < 2 {
		t.Fatalf("no pages in docs: %v", err)
	}
	return list
}

func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	p := page{name: name}
	var prose strings.Builder
	var in *block
	for i, line := range strings.SplitAfter(string(text), "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && in == nil:
			if !languages[fence] {
				t.Errorf("%s:%d: a fence ```%s; the fences are sh, text, go, yaml and json", name, i+1, fence)
			}
			p.blocks = append(p.blocks, block{line: i + 1, lang: fence})
			in = &p.blocks[len(p.blocks)-1]
			if fence == "text" && (len(p.blocks) < 2 || p.blocks[len(p.blocks)-2].lang != "sh") {
				t.Errorf("%s:%d: a text block that follows no sh block: nothing says what prints it", name, i+1)
			}
		case isFence:
			in = nil
		case in != nil:
			in.text += line
		default:
			prose.WriteString(line)
		}
	}
	if in != nil {
		t.Errorf("%s:%d: the block has no end", name, in.line)
	}
	p.prose = prose.String()
	return p
}

// masks replace text that differs between two runs of the same command, in this order. The width of
// columns depends on times, so runs of blanks become one blank.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^.*percentiles of .* known only roughly, .*\n`), ""},                    // printed only if the machine was busy at the wrong moment
	{regexp.MustCompile(`(?m)^warning: (\d+ % of the self time is in|the run was paused) .*\n`), ""}, // likewise
	{regexp.MustCompile(`(?m)^warning: markers cost about .*\n\n?`), ""},
	{regexp.MustCompile(`(?m)^waiting +.* of the self times, .*\n`), ""},
	{regexp.MustCompile(`(?m)^~ .*\n`), ""}, // which markers are demoted depends on how long their scopes took
	{regexp.MustCompile(`\b\d{8}-\d{6}\.\d+\b`), "RUN"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b`), "DATE"},
	{regexp.MustCompile(`\b(tsc|mono|cntvct) [\d.]+[GM]?Hz`), "CLOCK"},
	{regexp.MustCompile(`\b(clock) (tsc|mono|cntvct)\b`), "$1 CLOCK"},
	{regexp.MustCompile(`\b(pid|process) \d+`), "$1 PID"},
	{regexp.MustCompile(`\.\d+\.markgen\b`), ".PID.markgen"},
	{regexp.MustCompile(`(\b127\.0\.0\.1|\[::\]):\d+\b`), "$1:PORT"},
	{regexp.MustCompile(`\bgo1\.\d+(\.\d+)?(rc\d+)?`), "GO"},
	{regexp.MustCompile(`\b(linux|darwin|windows|freebsd)/(amd64|arm64|386)\b`), "MACHINE"},
	{regexp.MustCompile(`(?m)^cpu +\S.*$`), "cpu MODEL"},
	{regexp.MustCompile(`=> /\S+`), "=> CHECKOUT"},
	{regexp.MustCompile(`\d+(\.\d+)?[nµm]? ± +[\d∞]+%`), "MEDIAN"}, // of benchstat
	{regexp.MustCompile(`\+\d+(\.\d+)?% \(p=[\d.]+ n=`), "SLOWER (n="},
	{regexp.MustCompile(`\b\d+m\d\ds\b|\b\d+(\.\d+)?(ps|ns|[uµ]s|ms|s)\b`), "TIME"},
	{regexp.MustCompile(`~TIME`), "TIME"},
	{regexp.MustCompile(`[ \t]+`), " "},
	{regexp.MustCompile(`(?m)\bTIME (0|-|[<>]?\d+(\.\d)?%)( |$)`), "TIME PART$3"}, // share of the self time, or spread of the mean
	{regexp.MustCompile(`(?m)^ ?[<\d.]+% TIME `), "PART TIME "},                   // share of the call paths
	{regexp.MustCompile(`[<\d.]+% of the self time`), "PART of the self time"},
	{regexp.MustCompile(`(?m) $`), ""},
}

func mask(text string) string {
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.with)
	}
	return text
}

// compare returns a description of how the output differs from the page, or "".
func compare(shown, printed string) string {
	want, got := reports(maskedLines(shown), maskedLines(printed))
	if matchLines(want, got) {
		return ""
	}
	return fmt.Sprintf("the page shows\n%s\nbut it prints\n%s\nwhich is, without masks,\n%s",
		strings.Join(want, "\n"), strings.Join(got, "\n"), printed)
}

func maskedLines(text string) []string {
	return strings.Split(strings.TrimRight(mask(text), "\n"), "\n")
}

// reports returns the lines of the page and of the output with the rows of reports sorted as text,
// since reports sort them by time. Rows that the page leaves out are removed from the output.
func reports(want, got []string) (_, _ []string) {
	want, got = slices.Clone(want), slices.Clone(got)
	for at, from := 0, 0; ; {
		w, g := table(want, at), table(got, from)
		if w.end == 0 || g.end == 0 {
			return want, got
		}
		if rows := want[w.begin:w.end]; slices.Contains(rows, "…") {
			all := len(got)
			got = slices.Concat(got[:g.begin], slices.DeleteFunc(slices.Clone(got[g.begin:g.end]), func(row string) bool { return !slices.Contains(rows, row) }), got[g.end:])
			g.end -= all - len(got)
			all = len(want)
			want = slices.Concat(want[:w.begin], slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return row == "…" }), want[w.end:])
			w.end -= all - len(want)
		}
		slices.Sort(want[w.begin:w.end])
		slices.Sort(got[g.begin:g.end])
		at, from = w.end, g.end
	}
}

// A span is the lines from begin up to, but not including, end.
type span struct{ begin, end int }

// table returns the rows of the first report from a line on; end is 0 if there is none.
func table(lines []string, from int) (s span) {
	for i := from; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "name kind count ") {
			continue
		}
		s = span{i + 1, i + 1}
		for s.end < len(lines) && lines[s.end] != "" && !strings.HasPrefix(lines[s.end], "… ") {
			s.end++
		}
		return s
	}
	return span{}
}

// matchLines reports whether the lines match. A line "…" in want matches any number of lines, and a
// "…" at the end of a line the rest of the line.
func matchLines(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for n := range len(got) + 1 {
			if matchLines(want[1:], got[n:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	head, cut := strings.CutSuffix(want[0], "…")
	if got[0] != want[0] && !(cut && strings.HasPrefix(got[0], head)) {
		return false
	}
	return matchLines(want[1:], got[1:])
}

func TestCompare(t *testing.T) {
	const printed = "app x (go1.26.8 linux/amd64)\nname  count  total\na  1,000  1.20ms\nb  0  -\n\n2 markers\n"
	for _, test := range []struct {
		shown string
		same  bool
	}{
		{printed, true},
		{"app x (go1.27 darwin/arm64)\nname count  total\na   1,000   999ns\nb 0 -\n\n2 markers\n", true},
		{"app x…\n…\n2 markers\n", true},
		{"…\na  1,001  1.20ms\n…\n", false},
		{"…\nb  0  5ns\n…\n", false},
		{"app x (go1.26.8 linux/amd64)\n", false},
		{"…\nc\n…\n", false},
	} {
		if difference := compare(test.shown, printed); (difference == "") != test.same {
			t.Errorf("%q: %s", test.shown, difference)
		}
	}
}

// The rows of a report are sorted by times, which are masked, so their order is not compared.
func TestCompareReports(t *testing.T) {
	const printed = "app x\nnames     begin with p.\n\nname  kind  count  total  self  share\na  func  1  1.20ms  1.20ms  70.0%\nb  func  2  1.1ms  600µs  30.0%\nc  loop  0  -  -  -\n… 3 more: <0.1% of the self time\n\n3 markers\n"
	for _, test := range []struct {
		shown string
		same  bool
	}{
		{printed, true},
		{"app x\nnames     begin with p.\n\nname kind count total self share\nb func 2 3s 2s 99.0%\na func 1 2s 1ms <0.1%\nc loop 0 - - -\n… 3 more: 7.0% of the self time\n\n3 markers\n", true},
		{"…\nname kind count total self share\n…\nb func 2 3s 2s 99.0%\n…\n… 3 more: 7.0% of the self time\n\n3 markers\n", true},
		{"…\nname kind count total self share\n…\nb func 3 3s 2s 99.0%\n…\n… 3 more: 7.0% of the self time\n\n3 markers\n", false},
		{"…\nname kind count total self share\nb func 2 3s 2s 99.0%\nc loop 0 - - -\n… 3 more: 7.0% of the self time\n\n3 markers\n", false},
	} {
		if difference := compare(test.shown, printed); (difference == "") != test.same {
			t.Errorf("%q: %s", test.shown, difference)
		}
	}
}
