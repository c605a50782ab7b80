package pages

import (
	"net/http"
	"net/url"
	"time"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
)

// A homeContent is the content of the first page.
type homeContent struct {
	APIs     int
	Packages int
	Ready    bool
	Most     table
	New      table
	NewTotal int
	List     []catalogue.Package
	After    string // the list of packages starts after this one; "" for the first part
	Next     string // URL of the next part
}

// maxPackages is the max number of packages on a page.
const maxPackages = 150

// home returns the first page: the APIs with most time, new ones, and the packages.
func (p *Pages) home(r *http.Request) (*page, error) {
	values, err := parameters(r, "after")
	if err != nil {
		return nil, err
	}
	x := p.Catalogue
	c := &homeContent{APIs: x.Len(), Ready: x.Ready(), After: values.Get("after")}
	c.List, c.Packages = x.Packages(c.After, maxPackages)
	if len(c.List) == maxPackages {
		c.Next = address("/", url.Values{"after": {c.List[maxPackages-1].Path}}) + "#packages"
	}
	if c.After == "" {
		c.Most = apis("The functions that take most time in all", p.lists.list(x, catalogue.List{Order: catalogue.ByTime, Kind: "func", Limit: 10}).APIs)
		came := p.lists.list(x, catalogue.List{Order: catalogue.ByFirst, Came: yesterday(p.Now()), Limit: 5})
		c.New, c.NewTotal = apis("The newest APIs", came.APIs), came.Total
	}
	return &page{Title: "Catalogue", Template: "home.html", Nav: "/", Live: true, Content: c}, nil
}

// yesterday returns the start of the previous day.
func yesterday(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
}

// A packageContent is the content of a package's page.
type packageContent struct {
	Path  string
	APIs  table
	Total int
	All   bool   // including loops, branches and others, not only functions
	Other string // URL of the page with All toggled
	Next  string
	Order string
}

// packagePage returns the page of a package, with its APIs.
func (p *Pages) packagePage(r *http.Request) (*page, error) {
	values, err := parameters(r, "kind", "sort", "after")
	if err != nil {
		return nil, err
	}
	path := r.PathValue("path")
	l := catalogue.List{Package: path, Kind: "func", Limit: 200}
	c := &packageContent{Path: shown(path), All: values.Get("kind") == "all", Order: values.Get("sort")}
	switch values.Get("kind") {
	case "":
		c.Other = address(packagePath(path), url.Values{"kind": {"all"}, "sort": {c.Order}})
	case "all":
		l.Kind = ""
		c.Other = address(packagePath(path), url.Values{"sort": {c.Order}})
	default:
		return nil, badRequest("kind is all, or left out.")
	}
	caption := "in the order of their names"
	switch c.Order {
	case "":
	case "total":
		l.Order, caption = catalogue.ByTime, "those first that take most time in all"
	case "calls":
		l.Order, caption = catalogue.ByCalls, "those first that are called most"
	default:
		return nil, badRequest("sort is total or calls, or left out.")
	}
	if err := continueAfter(values, &l); err != nil {
		return nil, err
	}
	list := p.Catalogue.List(l)
	if list.Total == 0 && p.Catalogue.List(catalogue.List{Package: path, Limit: 1}).Total == 0 {
		return nil, notFound("There is no package " + shown(path) + " in the catalogue. Search for a part of its name.")
	}
	what := "Functions"
	if c.All {
		what = "Markers"
	}
	c.APIs, c.Total = apis(what+" of "+cut(report.Printable(path), 120)+", "+caption, list.APIs), list.Total
	for i := range c.APIs.Rows {
		c.APIs.Rows[i].Name.Path = "" // it is the same for all
	}
	if list.Next != 0 {
		c.Next = address(packagePath(path), with(values, "after", list.Next.String()))
	}
	return &page{Title: cut(report.Printable(path), 80), Template: "package.html", Content: c}, nil
}
