package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
)

const headersText = `package p

func init() {
	for i := range 3 {
		use(i)
	}
}

var read = func(n int) bool {
	if n > 1 {
		return true
	}
	return false
}

func f(n int) {
	if n == 1 {
		use(1)
	} else {
		use(2)
	}
}
`

func headersOf(text string) *report.Headers {
	return report.NewHeaders(func(pkg, file string, std bool) (report.Source, error) {
		if pkg != "example.com/p" || file != "sub/p.go" || std {
			return report.Source{}, errors.New("not found")
		}
		return report.Source{Text: text}, nil
	})
}

func markerIn(name, kind string, line int) *profile.Marker {
	return &profile.Marker{Package: "example.com/p", Name: "example.com/p." + name, Kind: kind, File: "sub/p.go", Line: line}
}

func TestHeaders(t *testing.T) {
	h := headersOf(headersText)
	for _, tt := range []struct {
		name, kind string
		line       int
		want       string
	}{
		{"f:if#1.then", "branch", 17, "if n == 1"},
		{"f:if#1.else", "branch", 19, "else of if n == 1"},
		{"f", "func", 16, ""},
		{"f:if#1.then", "branch", 18, ""}, // does not exist any more
		{"f:if#2.then", "branch", 17, ""}, // another one is on that line
		// Earlier files have other init functions, and other function literals in variables.
		{"init:for#1", "loop", 4, "for i := range 3"},
		{"init#3:for#1", "loop", 4, "for i := range 3"},
		{"init:func#7:if#1.then", "branch", 10, "if n > 1"},
		{"init:func#7:if#2.then", "branch", 10, ""},
	} {
		if got := h.Of(markerIn(tt.name, tt.kind, tt.line)); got != tt.want {
			t.Errorf("%s in line %d: %q, want %q", tt.name, tt.line, got, tt.want)
		}
	}
	if got := h.Of(&profile.Marker{Package: "example.com/q", Name: "example.com/q.f:if#1.then", Kind: "branch", File: "sub/p.go", Line: 17}); got != "" {
		t.Errorf("a file that is not there has %q", got)
	}
	if got := headersOf(headersText + "}").Of(markerIn("f:if#1.then", "branch", 17)); got != "" {
		t.Errorf("a file that is no Go has %q", got)
	}
	if got := report.NewHeaders(nil).Of(markerIn("f:if#1.then", "branch", 17)); got != "" {
		t.Errorf("without source there is %q", got)
	}
}

// In a file that is marked in place, inserted code is ignored.
func TestHeadersInPlace(t *testing.T) {
	u, err := rewrite.Load("example.com/p", []rewrite.Source{{Name: "sub/p.go", Text: []byte(headersText)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(rewrite.Options{All: true}); err != nil {
		t.Fatal(err)
	}
	marked, err := inplace.Mark(u, inplace.Options{Runtime: "github.com/markgen/markgen/runtime/perf"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(marked["sub/p.go"])
	before, _, ok := strings.Cut(text, "if n == 1 {")
	if !ok {
		t.Fatalf("no such branch in\n%s", text)
	}
	line := 1 + strings.Count(before, "\n")
	if got := headersOf(text).Of(markerIn("f:if#1.then", "branch", line)); got != "if n == 1" {
		t.Errorf("line %d: %q in\n%s", line, got, text)
	}
}
