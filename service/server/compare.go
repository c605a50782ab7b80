package server

import (
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/change"
)

type compareJSON struct {
	Old       buildJSON    `json:"old"`
	New       buildJSON    `json:"new"`
	Alpha     float64      `json:"alpha"`
	Threshold float64      `json:"threshold"`
	Tests     int          `json:"tests"`
	Slower    int          `json:"slower"`
	Faster    int          `json:"faster"`
	APIs      []changeJSON `json:"apis"`     // slower first, then faster, then the rest; within these, most significant first
	More      bool         `json:"more"`     // the list is cut at limit
	OnlyOld   []onlyJSON   `json:"only_old"` // at most limit
	OnlyNew   []onlyJSON   `json:"only_new"`
	Cautions  []string     `json:"cautions"` // what to know before trusting the result

	// Lengths of the uncut lists.
	APIsTotal    int `json:"apis_total"`
	OnlyOldTotal int `json:"only_old_total"`
	OnlyNewTotal int `json:"only_new_total"`
}

type buildJSON struct {
	Build string `json:"build"`
	Runs  int    `json:"runs"`
	APIs  int    `json:"apis"`
}

type changeJSON struct {
	ID       registry.ID    `json:"id"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Verdict  change.Verdict `json:"verdict"`
	Change   float64        `json:"change"`
	Lo       *float64       `json:"change_lo,omitempty"` // these four are absent if there are too few runs
	Hi       *float64       `json:"change_hi,omitempty"`
	P        *float64       `json:"p,omitempty"`
	Adjusted *float64       `json:"p_adjusted,omitempty"`
	Old      sideJSON       `json:"old"`
	New      sideJSON       `json:"new"`
}

type sideJSON struct {
	Count  uint64  `json:"count"`
	MeanNS float64 `json:"mean_ns"`
	SE     float64 `json:"mean_se_ns"`
	P50NS  float64 `json:"p50_ns"`
	P99NS  float64 `json:"p99_ns"`
	MaxNS  uint64  `json:"max_ns"`
}

type onlyJSON struct {
	ID    registry.ID `json:"id"`
	Name  string      `json:"name"`
	Kind  string      `json:"kind"`
	Count uint64      `json:"count"`
}

// getCompare compares the sums of two builds, or of two sets of builds selected by patterns.
func (s *Server) getCompare(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "old", "new", "alpha", "threshold", "limit", "package", "function", "kind", "go", "goos", "goarch", "cpu", "from", "to")
	f := p.filter()
	o := change.Options{Alpha: p.fraction("alpha", 0.05), Threshold: p.fraction("threshold", 0.05)}
	if o.Alpha == 0 || o.Alpha == 1 {
		p.fail("alpha has to be more than 0 and less than 1")
	}
	if o.Threshold == 0 {
		o.Threshold = -1
	}
	limit := p.number("limit", 1000, 10_000)
	if p.text("old") == "" || p.text("new") == "" {
		p.fail("old and new are needed: two builds, as /v1/origins lists them")
	}
	if p.err != nil {
		return p.err
	}
	return s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error { return s.compare(w, r, p, f, o, limit) })
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request, p *params, f fleet.Filter, o change.Options, limit int) error {
	of := func(build string) fleet.Filter {
		f := f
		f.Build = build
		return f
	}
	old, err := s.merged(r, of(p.text("old")))
	if err != nil {
		return err
	}
	new, err := s.merged(r, of(p.text("new")))
	if err != nil {
		return err
	}
	for _, side := range []struct {
		build string
		n     int
	}{{p.text("old"), len(old.Markers)}, {p.text("new"), len(new.Markers)}} {
		if side.n == 0 {
			latest, err := s.latestBuilds(r.Context())
			if err != nil {
				return err
			}
			return notFound.problem("there are no figures of the build %.200q that the rest of the query chooses; the latest builds are %.200q", side.build, latest)
		}
	}
	result, err := change.Compare(old, new, o)
	if err != nil {
		return err
	}
	oldOrigins, err := s.store.Origins(r.Context(), of(p.text("old")))
	if err != nil {
		return err
	}
	newOrigins, err := s.store.Origins(r.Context(), of(p.text("new")))
	if err != nil {
		return err
	}
	answer := compareJSON{
		Old: buildJSON{p.text("old"), old.Runs, len(old.Markers)}, New: buildJSON{p.text("new"), new.Runs, len(new.Markers)},
		Alpha: result.Alpha, Threshold: result.Threshold, Tests: result.Tests, Slower: result.Slower, Faster: result.Faster,
		APIs: []changeJSON{}, OnlyOld: only(result.OnlyOld, limit), OnlyNew: only(result.OnlyNew, limit),
		More:      len(result.APIs) > limit,
		Cautions:  result.Cautions(change.Machines(oldOrigins, newOrigins)),
		APIsTotal: len(result.APIs), OnlyOldTotal: len(result.OnlyOld), OnlyNewTotal: len(result.OnlyNew),
	}
	for i := range result.APIs[:min(limit, len(result.APIs))] {
		answer.APIs = append(answer.APIs, changeOf(&result.APIs[i]))
	}
	return sendJSON(w, r, answer)
}

// latestBuilds returns the names of the last five builds that came, the latest first.
func (s *Server) latestBuilds(ctx context.Context) ([]string, error) {
	origins, err := s.store.Origins(ctx, fleet.Filter{})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(origins, func(a, b fleet.OriginSum) int { return b.First.Compare(a.First) })
	var names []string
	for _, o := range origins {
		if !slices.Contains(names, o.Build) && len(names) < 5 {
			names = append(names, o.Build)
		}
	}
	return names, nil
}

func changeOf(a *change.API) changeJSON {
	known := func(f float64) *float64 {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		return &f
	}
	return changeJSON{
		ID: a.ID, Name: a.Name, Kind: a.Kind, Verdict: a.Verdict, Change: a.Change,
		Lo: known(a.Lo), Hi: known(a.Hi), P: known(a.P), Adjusted: known(a.Adjusted), Old: sideJSON(a.Old), New: sideJSON(a.New),
	}
}

func only(list []change.Place, limit int) []onlyJSON {
	out := []onlyJSON{}
	for _, p := range list[:min(limit, len(list))] {
		out = append(out, onlyJSON(p))
	}
	return out
}
