package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
)

// The types below are the JSON of answers, as openapi.yaml describes them. Durations are in ns.

type apiJSON struct {
	ID       registry.ID `json:"id"`
	Name     string      `json:"name"`
	Package  string      `json:"package"`
	Function string      `json:"function"`
	Kind     string      `json:"kind"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
	First    time.Time   `json:"first"`
	Changed  time.Time   `json:"changed"`
	Runs     *uint64     `json:"runs,omitempty"` // absent if the statistics are of some origins or days only
	Origins  uint64      `json:"origins"`
	Count    uint64      `json:"count"`
	TotalNS  json.Number `json:"total_ns"` // may exceed 64 bits
	MaxNS    uint64      `json:"max_ns"`
}

func apiOf(a *fleet.API) apiJSON {
	return apiJSON{
		ID: a.ID, Name: a.Name, Package: a.Package, Function: a.Function(), Kind: a.Kind, File: a.File, Line: a.Line,
		First: a.First.UTC(), Changed: a.Changed.UTC(), Runs: &a.Runs, Origins: a.Origins,
		Count: a.Count, TotalNS: json.Number(a.TotalNS.String()), MaxNS: a.MaxNS,
	}
}

// part returns a with the statistics of m, which are part of its statistics.
func (a apiJSON) part(m *profile.Marker) apiJSON {
	a.Runs, a.Count, a.TotalNS, a.MaxNS = nil, m.Count, json.Number(profile.Uint128{Lo: m.TotalNS()}.String()), m.MaxNS
	return a
}

type apisJSON struct {
	APIs   []apiJSON `json:"apis"`
	Total  int       `json:"total"`            // number of all results
	More   bool      `json:"more,omitempty"`   // Total is a lower bound
	Cursor string    `json:"cursor,omitempty"` // for the next request; absent at the end
}

// orders has the sort orders of the catalogue index; others need statistics from the store.
var orders = map[string]catalogue.Order{
	"name": catalogue.ByName, "total": catalogue.ByTime, "count": catalogue.ByCalls, "first": catalogue.ByFirst, "changed": catalogue.ByChange,
}

var orderWords = []string{"name", "total", "count", "mean", "max", "first", "changed"}

// getAPIs lists APIs: those that a text finds, or all in some order, or those with statistics that
// a filter selects.
func (s *Server) getAPIs(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, append([]string{"q", "sort", "limit", "cursor"}, filterParams...)...)
	f := p.filter()
	sort := p.word("sort", orderWords...)
	limit := p.number("limit", 50, catalogue.MostFound)
	if p.text("q") != "" && p.text("sort") != "" {
		p.fail("what q finds is in the order of how well it fits; leave out sort")
	}
	if p.text("q") != "" && (f.Function != "" || strings.ContainsAny(f.Package, "*?")) {
		p.fail("q and patterns exclude each other: put the words of the name into q, and leave out function and * in package")
	}
	if p.err != nil {
		return p.err
	}
	var answer apisJSON
	var err error
	order, plain := orders[sort]
	switch {
	case p.text("q") != "":
		answer, err = s.search(r, p.text("q"), f, limit, p.text("cursor"))
	case plain && !ofOrigin(f) && f.Function == "" && !strings.ContainsAny(f.Package, "*?"):
		answer, err = s.list(order, f, limit, p.text("cursor"))
	default:
		return s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error {
			answer, err := s.choose(r, f, sort, limit, p.text("cursor"))
			if err != nil {
				return err
			}
			return sendJSON(w, r, answer)
		})
	}
	if err != nil {
		return err
	}
	return sendJSON(w, r, answer)
}

// search lists the APIs that a text finds. If the filter selects by origin or day, their statistics
// are the selected ones, and APIs without any are left out.
func (s *Server) search(r *http.Request, text string, f fleet.Filter, limit int, cursor string) (apisJSON, error) {
	if ofOrigin(f) {
		limit = min(limit, 100) // one query each
	}
	found, err := s.Catalogue.Search(catalogue.Query{Text: text, Kind: f.Kind, Package: f.Package, After: catalogue.Cursor(cursor), Limit: limit})
	if err != nil {
		return apisJSON{}, badRequest.problem("cursor: %.200v", err)
	}
	answer := apisJSON{APIs: []apiJSON{}, Total: found.Total, More: found.More, Cursor: string(found.Next)}
	for i := range found.APIs {
		a := apiOf(&found.APIs[i])
		if ofOrigin(f) {
			groups, err := s.store.Figures(r.Context(), a.ID, f, fleet.NoGrouping)
			if err != nil {
				return apisJSON{}, err
			}
			if len(groups) == 0 || groups[0].Marker.Count == 0 {
				continue
			}
			a = a.part(&groups[0].Marker)
		}
		answer.APIs = append(answer.APIs, a)
	}
	return answer, nil
}

// list lists APIs with all their statistics.
func (s *Server) list(order catalogue.Order, f fleet.Filter, limit int, cursor string) (apisJSON, error) {
	l := catalogue.List{Order: order, Kind: f.Kind, Package: f.Package, Limit: limit}
	if cursor != "" {
		var err error
		if l.After, err = registry.ParseID(cursor); err != nil {
			return apisJSON{}, badCursor(cursor)
		}
	}
	return listed(s.Catalogue.List(l)), nil
}

func listed(l catalogue.Listed) apisJSON {
	answer := apisJSON{APIs: make([]apiJSON, len(l.APIs)), Total: l.Total}
	for i := range l.APIs {
		answer.APIs[i] = apiOf(&l.APIs[i])
	}
	if l.Next != 0 {
		answer.Cursor = l.Next.String()
	}
	return answer
}

func badCursor(cursor string) error {
	return badRequest.problem("%.80q is no cursor; give the one that came with the answer before, or none", cursor)
}

// choose lists the APIs that have statistics which a filter selects, with these statistics. They
// are summed for each request, so their number is limited.
func (s *Server) choose(r *http.Request, f fleet.Filter, sort string, limit int, cursor string) (apisJSON, error) {
	p, err := s.merged(r, f)
	if err != nil {
		return apisJSON{}, err
	}
	answer := apisJSON{APIs: []apiJSON{}, Total: len(p.Markers)}
	known := func(m *profile.Marker) fleet.API {
		if a, ok := s.Catalogue.API(m.ID); ok {
			return a
		}
		return fleet.API{ID: m.ID, Name: m.Name, Package: m.Package, Kind: m.Kind, File: m.File, Line: m.Line}
	}
	markers := make([]*profile.Marker, len(p.Markers))
	for i := range markers {
		markers[i] = &p.Markers[i]
	}
	slices.SortFunc(markers, func(a, b *profile.Marker) int {
		d := 0
		switch sort {
		case "total":
			d = cmp.Compare(b.TotalNS(), a.TotalNS())
		case "count":
			d = cmp.Compare(b.Count, a.Count)
		case "mean":
			d = cmp.Compare(b.MeanNS(), a.MeanNS())
		case "max":
			d = cmp.Compare(b.MaxNS, a.MaxNS)
		case "first":
			d = known(b).First.Compare(known(a).First)
		case "changed":
			d = known(b).Changed.Compare(known(a).Changed)
		}
		return cmp.Or(d, cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	if cursor != "" {
		id, err := registry.ParseID(cursor)
		i := slices.IndexFunc(markers, func(m *profile.Marker) bool { return m.ID == id })
		if err != nil || i < 0 {
			return apisJSON{}, badCursor(cursor)
		}
		markers = markers[i+1:]
	}
	if len(markers) > limit {
		markers = markers[:limit]
		answer.Cursor = markers[limit-1].ID.String()
	}
	for _, m := range markers {
		a := known(m)
		if ofOrigin(f) {
			answer.APIs = append(answer.APIs, apiOf(&a).part(m))
		} else {
			answer.APIs = append(answer.APIs, apiOf(&a))
		}
	}
	return answer, nil
}

// merged returns the sum of what a filter selects, or a problem if that is too large for one
// answer.
func (s *Server) merged(r *http.Request, f fleet.Filter) (*profile.Profile, error) {
	p, more, err := s.store.Profile(r.Context(), f, s.MaxMerged)
	if err == nil && more {
		err = notAcceptable.problem("that is more than the %d APIs, or the memory for so many, that there is for one answer; choose fewer, by package=, kind=func or function=, or take %s from /v1/catalogue", s.MaxMerged, ndjsonType)
	}
	return p, err
}

type apiFiguresJSON struct {
	apiJSON
	Figures any         `json:"figures"` // like a marker in markgen report -format json; null if the filter selects none
	Groups  []groupJSON `json:"groups,omitempty"`
}

type groupJSON struct {
	Key     string `json:"key"`
	Runs    uint64 `json:"runs"`
	Figures any    `json:"figures"`
}

// byWords are the groupings of statistics.
var byWords = []string{"", string(fleet.ByBuild), string(fleet.ByGo), string(fleet.ByGOOS), string(fleet.ByGOARCH), string(fleet.ByCPU), string(fleet.ByDay)}

// getAPI returns an API with its statistics.
func (s *Server) getAPI(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	p := paramsOf(r, "by", "build", "go", "goos", "goarch", "cpu", "from", "to")
	by, f := fleet.Grouping(p.word("by", byWords...)), p.filter()
	if p.err != nil {
		return p.err
	}
	a, err := s.store.API(r.Context(), id)
	if err != nil {
		return err
	}
	answer := apiFiguresJSON{apiJSON: apiOf(a)}
	groups, err := s.store.Figures(r.Context(), id, f, fleet.NoGrouping)
	if err != nil {
		return err
	}
	if len(groups) > 0 {
		g := &groups[0]
		if ofOrigin(f) {
			answer.apiJSON = answer.part(&g.Marker)
			answer.Runs = &g.Runs
		}
		answer.Figures = report.Figures(&g.Marker)
	} else if ofOrigin(f) {
		answer.apiJSON = answer.part(new(profile.Marker))
	}
	if by != fleet.NoGrouping {
		if groups, err = s.store.Figures(r.Context(), id, f, by); err != nil {
			return err
		}
		for i := range groups {
			answer.Groups = append(answer.Groups, groupJSON{groups[i].Key, groups[i].Runs, report.Figures(&groups[i].Marker)})
		}
	}
	return sendJSON(w, r, answer)
}
