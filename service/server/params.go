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

// Params are the parameters of a query. A parameter that a route does not know, that comes twice or that makes no sense
// is a problem and never passed over: who misspells a filter is not to be given the figures of all.
type params struct {
	values url.Values
	err    error // the first
}

// longParam is how many bytes a parameter may have, so that there may be mostIDs IDs. The header of a request is limited
// besides.
const longParam = 17 * mostIDs

// filterParams are those that choose figures.
var filterParams = []string{"package", "function", "kind", "build", "go", "goos", "goarch", "cpu", "from", "to"}

// paramsOf are the parameters of a request, which knows the names.
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
		case len(list[0]) > longParam || !utf8.ValidString(list[0]) || strings.ContainsRune(list[0], 0):
			p.fail("%s is longer than %d bytes, or no text", name, longParam)
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

// number is a whole number from 1 to most; otherwise if it is not given.
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

// ids are those of APIs, with commas between them; nil if the parameter is not given.
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

// fraction is a number from 0 to 1, both included.
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

// word is one of some; the first if it is not given.
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

// day is a day; 0 if it is not given.
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

// moment is a time, or the beginning of a day.
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

// kinds of markers there are, as a parameter.
var kindWords = []string{"", "func", "loop", "branch", "block", "region", "point"}

// filter is what filterParams say.
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

// ofOrigin tells whether a filter chooses some of an API's figures, not only APIs.
func ofOrigin(f fleet.Filter) bool {
	f.Package, f.Function, f.Kind = "", "", ""
	return f != fleet.Filter{}
}

// pathID is the ID of an API in the path.
func pathID(r *http.Request) (registry.ID, error) {
	id, err := registry.ParseID(r.PathValue("id"))
	if err != nil || id.String() != r.PathValue("id") {
		return 0, badRequest.problem("%.40q is no API's ID; one has 16 hexadecimal digits", r.PathValue("id"))
	}
	return id, nil
}
