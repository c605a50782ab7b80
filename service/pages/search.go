package pages

import (
	"net/http"
	"net/url"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/units"
)

// A searchContent is the content of the search page.
type searchContent struct {
	Text  string
	Found string // number of results, in words
	List  []result
	Next  string
	Ready bool
}

// A result is an API that matches.
type result struct {
	Name  name
	Calls string
	Mean  string
}

// search returns the search page, of which the script uses the part with the results.
func (p *Pages) search(r *http.Request) (*page, error) {
	values, err := parameters(r, "q", "after")
	if err != nil {
		return nil, err
	}
	text := values.Get("q")
	c := &searchContent{Text: text, Ready: p.Catalogue.Ready()}
	found, err := p.Catalogue.Search(catalogue.Query{Text: text, After: catalogue.Cursor(values.Get("after")), Limit: 50})
	if err != nil {
		return nil, badRequest("The list can't be gone on with from there, as its address was changed. Search again.")
	}
	for i := range found.APIs {
		a := &found.APIs[i]
		one := result{Name: nameOf(a), Calls: scopes(a.Kind, a.Count)}
		if a.MeanNS > 0 {
			one.Mean = units.Duration(a.MeanNS)
		}
		c.List = append(c.List, one)
	}
	total := units.Count(uint64(found.Total))
	switch {
	case found.More:
		c.Found = "More than " + total + " APIs"
	case found.Total == 0:
		c.Found = "Nothing"
	case found.Total == 1:
		c.Found = "One API"
	default:
		c.Found = total + " APIs"
	}
	if text == "" {
		c.Found += ", those first that are called most"
	}
	if found.Next != "" {
		c.Next = address("/search", url.Values{"q": {text}, "after": {string(found.Next)}})
	}
	title := "Search"
	if text != "" {
		title = cut(report.Printable(text), 60) + " – search"
	}
	return &page{Title: title, Template: "search.html", Query: text, Live: true, Content: c}, nil
}

// continueAfter makes a list continue after the API given in the URL.
func continueAfter(values url.Values, l *catalogue.List) (err error) {
	if text := values.Get("after"); text != "" {
		if l.After, err = registry.ParseID(text); err != nil {
			return badRequest("after is an API's ID; leave it out to begin with the first.")
		}
	}
	return nil
}
