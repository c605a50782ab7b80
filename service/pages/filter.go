package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/fleet"
)

const maxParameter = 2000 // bytes

// parameters returns the parameters of a URL. An unknown one is an error: a misspelt filter must
// not show everything.
func parameters(r *http.Request, names ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("Its query can't be read. Begin with the catalogue.")
	}
	for name, list := range values {
		switch {
		case !slices.Contains(names, name):
			return nil, badRequest("There is no parameter %.40q here; those there are: %s.", name, strings.Join(names, ", "))
		case len(list) > 1:
			return nil, badRequest("The parameter %s is there twice.", name)
		case len(list[0]) > maxParameter || !utf8.ValidString(list[0]) || strings.ContainsRune(list[0], 0):
			return nil, badRequest("The parameter %s is longer than %d bytes, or no text.", name, maxParameter)
		}
		values.Set(name, strings.TrimSpace(list[0]))
	}
	return values, nil
}

// filterNames are the parameters that select statistics.
var filterNames = []string{"build", "go", "goos", "goarch", "cpu", "from", "to"}

// filterOf returns the filter given by the parameters.
func filterOf(values url.Values) (f fleet.Filter, err error) {
	f = fleet.Filter{Build: values.Get("build"), Go: values.Get("go"), GOOS: values.Get("goos"), GOARCH: values.Get("goarch"), CPU: values.Get("cpu")}
	for _, day := range []struct {
		name string
		to   *fleet.Day
	}{{"from", &f.From}, {"to", &f.To}} {
		if text := values.Get(day.name); text != "" {
			if *day.to, err = fleet.ParseDay(text); err != nil || *day.to <= 0 {
				return f, badRequest("%s: %.40q is no day; give one such as 2006-01-02.", day.name, text)
			}
		}
	}
	if f.From != 0 && f.To != 0 && f.From > f.To {
		return f, badRequest("The first day, %s, is after the last, %s.", f.From, f.To)
	}
	return f, nil
}

// A field is a field of a form.
type field struct {
	Name, Label, Value string
	Type               string   // text, date
	Choices            []string // suggestions; other values, with * and ?, are allowed
}

// address returns path with the non-empty parameters.
func address(path string, values url.Values) string {
	some := url.Values{}
	for name, list := range values {
		if len(list) > 0 && list[0] != "" {
			some[name] = list
		}
	}
	if len(some) == 0 {
		return path
	}
	return path + "?" + some.Encode()
}

// with returns a copy of the parameters with one changed.
func with(values url.Values, name, value string) url.Values {
	more := url.Values{}
	for n, list := range values {
		more[n] = list
	}
	more.Set(name, value)
	return more
}
