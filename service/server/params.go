package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
)

// A params has the parameters of a query. Unknown, repeated and malformed parameters are errors and
// never ignored: a misspelt filter must not select everything.
type params struct {
	values url.Values
	err    error // the first error
}

// maxParam is the max length of a parameter in bytes, enough for maxIDs IDs. The header of a
// request has its own limit.
const maxParam = 17 * maxIDs

// filterParams are the parameters that select statistics.
var filterParams = []string{"package", "function", "kind", "build", "go", "goos", "goarch", "cpu", "from", "to"}

// paramsOf returns the parameters of a request, of which names are known.
func paramsOf(r *http.Request, names ...string) *params {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &params{values: values}
	if err != nil {
		p.fail("the query can't be read: %.100v", err)
	}
	for name, list := range values {
		switch {
		case !slices.Contains(names, name):
			p.fail("there is no parameter %.40q; those there are: %s", name, strings.Join(names, ", "))
		case len(list) > 1:
			p.fail("%s is given twice", name)
		case len(list[0]) > maxParam || !utf8.ValidString(list[0]) || strings.ContainsRune(list[0], 0):
			p.fail("%s is longer than %d bytes, or no text", name, maxParam)
		}
	}
	return p
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = badRequest.problem(format, args...)
	}
}

func (p *params) text(name string) string { return p.values.Get(name) }

// number returns an integer from 1 to most; otherwise if the parameter is absent.
func (p *params) number(name string, otherwise, most int) int {
	text := p.text(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		p.fail("%s is %.40q; give a whole number from 1 to %d", name, text, most)
	}
	return n
}

// ids returns the comma-separated IDs of APIs, or nil if the parameter is absent.
func (p *params) ids(name string, most int) (list []registry.ID) {
	text := p.text(name)
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		id, err := registry.ParseID(part)
		if err != nil || len(list) == most {
			p.fail("%s: %.40q; give up to %d IDs of 16 hexadecimal digits, with commas between them", name, part, most)
			return list
		}
		list = append(list, id)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fraction returns a number in [0, 1].
func (p *params) fraction(name string, otherwise float64) float64 {
	text := p.text(name)
	if text == "" {
		return otherwise
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		p.fail("%s is %.40q; give a number from 0 to 1", name, text)
	}
	return f
}

// word returns one of words; the first if the parameter is absent.
func (p *params) word(name string, words ...string) string {
	text := p.text(name)
	if text == "" {
		return words[0]
	}
	if !slices.Contains(words, text) {
		p.fail("%s is %.40q; give one of %s", name, text, strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
	return text
}

// day returns a day; 0 if the parameter is absent.
func (p *params) day(name string) fleet.Day {
	text := p.text(name)
	if text == "" {
		return 0
	}
	d, err := fleet.ParseDay(text)
	if err != nil || d <= 0 {
		p.fail("%s: %.40q is no day; give one such as 2006-01-02", name, text)
	}
	return d
}

// moment returns a time, or the start of a day.
func (p *params) moment(name string) time.Time {
	text := p.text(name)
	if text == "" {
		return time.Time{}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.Year() >= 1970 {
		return t
	}
	return p.day(name).Time()
}

// kindWords are the kinds of markers, as a parameter.
var kindWords = []string{"", "func", "loop", "branch", "block", "region", "point"}

// filter returns the filter given by filterParams.
func (p *params) filter() fleet.Filter {
	f := fleet.Filter{
		Package: p.text("package"), Function: p.text("function"), Kind: p.word("kind", kindWords...),
		Build: p.text("build"), Go: p.text("go"), GOOS: p.text("goos"), GOARCH: p.text("goarch"), CPU: p.text("cpu"),
		From: p.day("from"), To: p.day("to"),
	}
	if f.From != 0 && f.To != 0 && f.From > f.To {
		p.fail("from is after to")
	}
	return f
}

// ofOrigin reports whether a filter selects by origin or day, not only APIs.
func ofOrigin(f fleet.Filter) bool {
	f.Package, f.Function, f.Kind = "", "", ""
	return f != fleet.Filter{}
}

// pathID returns the ID of an API from the path.
func pathID(r *http.Request) (registry.ID, error) {
	id, err := registry.ParseID(r.PathValue("id"))
	if err != nil || id.String() != r.PathValue("id") {
		return 0, badRequest.problem("%.40q is no API's ID; one has 16 hexadecimal digits", r.PathValue("id"))
	}
	return id, nil
}
