package pages

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/units"
)

// A newSinceContent is the content of the page about what is new since a day.
type newSinceContent struct {
	Since   string
	Builds  table
	Came    table
	Changed table
	Total   [2]int // numbers of new APIs, and of older ones that changed
}

// maxNewRows is the max number of rows of each table.
const maxNewRows = 100

// newSince returns the page about what is new.
func (p *Pages) newSince(r *http.Request) (*page, error) {
	values, err := parameters(r, "since")
	if err != nil {
		return nil, err
	}
	since := yesterday(p.Now())
	if text := values.Get("since"); text != "" {
		day, err := fleet.ParseDay(text)
		if err != nil {
			return nil, badRequest("since: %.40q is no day; give one such as 2006-01-02.", text)
		}
		since = day.Time()
	}
	c := &newSinceContent{Since: since.Format(time.DateOnly)}
	came := p.lists.list(p.Catalogue, catalogue.List{Order: catalogue.ByFirst, Came: since, Limit: maxNewRows})
	changed := p.lists.list(p.Catalogue, catalogue.List{Order: catalogue.ByCalls, Changed: since, Known: since, Limit: maxNewRows})
	c.Total = [2]int{came.Total, changed.Total}
	c.Came = apis("New APIs, the newest first", came.APIs)
	c.Changed = apis("Known APIs with new figures, the most called first", changed.APIs)
	for _, part := range []struct {
		t     *table
		total int
	}{{&c.Came, came.Total}, {&c.Changed, changed.Total}} {
		if part.total > len(part.t.Rows) {
			part.t.Note = fmt.Sprintf("These are the first %d of %s.", len(part.t.Rows), units.Count(uint64(part.total)))
		}
	}
	origins, err := p.Store.Origins(r.Context(), fleet.Filter{})
	if err != nil {
		return nil, err
	}
	c.Builds = newBuilds(builds(origins), since)
	return &page{Title: "New since " + c.Since, Template: "new.html", Nav: "/new", Content: c}, nil
}

// A build is a build, on all its machines.
type build struct {
	name           string
	first, changed time.Time
	runs           uint64
	on             []string // Go versions and platforms
}

// builds returns the builds of some origins, in the order of arrival.
func builds(origins []fleet.OriginSum) []*build {
	by := map[string]*build{}
	var list []*build
	for i := range origins {
		o := &origins[i]
		b := by[o.Build]
		if b == nil {
			b = &build{name: o.Build, first: o.First}
			by[o.Build] = b
			list = append(list, b)
		}
		if o.First.Before(b.first) {
			b.first = o.First
		}
		if o.Changed.After(b.changed) {
			b.changed = o.Changed
		}
		b.runs += o.Runs
		if on := strings.Trim(o.Go+" "+o.GOOS+"/"+o.GOARCH, " /"); !slices.Contains(b.on, on) && len(b.on) < 4 {
			b.on = append(b.on, on)
		}
	}
	slices.SortStableFunc(list, func(a, b *build) int { return a.first.Compare(b.first) })
	return list
}

// newBuilds returns a table of the builds that arrived since then, each with a link that compares
// it with the previous build of the program.
func newBuilds(list []*build, since time.Time) table {
	t := table{Caption: "New builds, the newest first", Head: []string{"Build", "First seen", "Runs", "With", "Before it"}, Wide: true}
	last := map[string]*build{}
	for _, b := range list {
		program, _, _ := strings.Cut(b.name, "@")
		before := last[program]
		last[program] = b
		if b.first.Before(since) {
			continue
		}
		compare := text(none)
		if before != nil && before.name != "" && b.name != "" {
			_, version, _ := strings.Cut(before.name, "@")
			compare = cell{Text: "compare with " + cut(report.Printable(cmp.Or(version, before.name)), 40), Href: address("/compare", url.Values{"old": {before.name}, "new": {b.name}})}
		}
		t.Rows = append(t.Rows, row{name{Text: cmp.Or(shown(b.name), "not known")}, []cell{
			text(moment(b.first)), text(units.Count(b.runs)), text(shown(strings.Join(b.on, ", "))), compare,
		}})
	}
	slices.Reverse(t.Rows)
	if n := len(t.Rows); n > maxNewRows {
		t.Note = fmt.Sprintf("These are the newest %d of %s.", maxNewRows, units.Count(uint64(n)))
		t.Rows = t.Rows[:maxNewRows]
	}
	return t
}
