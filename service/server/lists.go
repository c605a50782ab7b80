package server

import (
	"net/http"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/store"
)

type packagesJSON struct {
	Packages []packageJSON `json:"packages"`
	Total    int           `json:"total"`
	Cursor   string        `json:"cursor,omitempty"`
}

type packageJSON struct {
	Path string `json:"path"`
	APIs int    `json:"apis"`
}

// getPackages lists the packages that have APIs, by path.
func (s *Server) getPackages(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "limit", "cursor")
	limit := p.number("limit", 100, 10_000)
	if p.err != nil {
		return p.err
	}
	list, total := s.Catalogue.Packages(p.text("cursor"), limit)
	answer := packagesJSON{Packages: make([]packageJSON, len(list)), Total: total}
	for i, p := range list {
		answer.Packages[i] = packageJSON(p)
	}
	if len(list) == limit && limit < total {
		answer.Cursor = list[limit-1].Path
	}
	return sendJSON(w, r, answer)
}

type originsJSON struct {
	Origins []fleet.OriginSum `json:"origins"`
}

// getOrigins lists the origins of statistics.
func (s *Server) getOrigins(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "build", "go", "goos", "goarch", "cpu")
	f := p.filter()
	if p.err != nil {
		return p.err
	}
	list, err := s.store.Origins(r.Context(), f)
	if err != nil {
		return err
	}
	if list == nil {
		list = []fleet.OriginSum{} // [] in JSON, not null
	}
	return sendJSON(w, r, originsJSON{list})
}

type changesJSON struct {
	APIs   []apiJSON    `json:"apis"`
	Cursor store.Cursor `json:"cursor"` // for the next request
	More   bool         `json:"more"`   // more changes are there already
}

// getChanges lists the APIs that changed after a cursor. A client that starts without cursor and
// continues with the cursor of each answer has the whole catalogue, and keeps it up to date. An API
// may be listed again without a change; none that has changed is left out.
func (s *Server) getChanges(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "limit", "cursor")
	limit := p.number("limit", 1000, 10_000)
	if p.err != nil {
		return p.err
	}
	answer := changesJSON{APIs: []apiJSON{}}
	var err error
	answer.Cursor, answer.More, err = s.store.Changed(r.Context(), store.Cursor(p.text("cursor")), limit, func(a *fleet.API) error {
		answer.APIs = append(answer.APIs, apiOf(a))
		return nil
	})
	if err != nil {
		return err
	}
	return sendJSON(w, r, answer)
}

type newJSON struct {
	Since  time.Time      `json:"since"`
	Builds []newBuildJSON `json:"builds"` // builds first received since then, in this order
	apisJSON
}

type newBuildJSON struct {
	Build string    `json:"build"`
	First time.Time `json:"first"`
	Runs  uint64    `json:"runs"`
}

// getNew lists the APIs and builds that were first received since a moment, the newest API first.
func (s *Server) getNew(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "since", "limit", "cursor", "kind")
	l := catalogue.List{Order: catalogue.ByFirst, Came: p.moment("since"), Kind: p.word("kind", kindWords...), Limit: p.number("limit", 50, catalogue.MostFound)}
	if l.Came.IsZero() {
		p.fail("since is needed: a day such as 2006-01-02, or a time such as 2006-01-02T15:04:05Z")
	}
	if text := p.text("cursor"); text != "" {
		var err error
		if l.After, err = registry.ParseID(text); err != nil {
			return badCursor(text)
		}
	}
	if p.err != nil {
		return p.err
	}
	origins, err := s.store.Origins(r.Context(), fleet.Filter{})
	if err != nil {
		return err
	}
	answer := newJSON{Since: l.Came.UTC(), Builds: []newBuildJSON{}, apisJSON: listed(s.Catalogue.List(l))}
	place := map[string]int{} // index in Builds; -1 if the build is older
	for _, o := range origins {
		i, ok := place[o.Build]
		switch {
		case !ok && o.First.Before(l.Came):
			place[o.Build] = -1
		case !ok:
			place[o.Build] = len(answer.Builds)
			answer.Builds = append(answer.Builds, newBuildJSON{o.Build, o.First.UTC(), o.Runs})
		case i >= 0:
			answer.Builds[i].Runs += o.Runs
		}
	}
	return sendJSON(w, r, answer)
}
