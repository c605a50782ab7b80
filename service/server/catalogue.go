package server

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/store"
)

// A Catalogue is the in-memory list of APIs: *catalogue.Index is one.
type Catalogue interface {
	Search(catalogue.Query) (catalogue.Found, error)
	List(catalogue.List) catalogue.Listed
	API(registry.ID) (fleet.API, bool)
	Packages(after string, limit int) ([]catalogue.Package, int)
	Ready() bool
	Len() int
}

// getCatalogue sends all that a filter selects: as a profile file, which markgen report, merge and
// diff read, or as a line of JSON per API, in any number. With id the profile file has only these
// APIs, with cursor those that changed after it.
func (s *Server) getCatalogue(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, append([]string{"id", "cursor", "limit"}, filterParams...)...)
	f := p.filter()
	ids := p.ids("id", maxIDs)
	limit := p.number("limit", 1000, maxIDs)
	_, changes := p.values["cursor"]
	if changes && ids != nil || !changes && p.text("limit") != "" {
		p.fail("limit goes with cursor, and id with neither")
	}
	if p.err != nil {
		return p.err
	}
	offers := []string{profileType, ndjsonType}
	if changes || ids != nil {
		offers = offers[:1]
	}
	form, err := preferred(strings.Join(r.Header.Values("Accept"), ","), offers...)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	if changes {
		return s.sendChanged(w, r, f, store.Cursor(p.text("cursor")), limit)
	}
	tag, err := s.state(r, form)
	if err != nil {
		return err
	}
	if unchanged(w, r, tag) {
		return nil
	}
	if form == ndjsonType {
		return s.sendLines(w, r, f)
	}
	if ids != nil {
		sum, err := s.sumOf(r.Context(), ids, f)
		if err != nil {
			return err
		}
		return sendProfile(w, r, sum)
	}
	return s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error {
		sum, err := s.merged(r, f)
		if err != nil {
			return err
		}
		return sendProfile(w, r, sum)
	})
}

// getPaths sends the call paths that a filter selects, as a profile file with the markers on them
// and no other figures of these.
func (s *Server) getPaths(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, filterParams...)
	f := p.filter()
	if p.err != nil {
		return p.err
	}
	tag, err := s.state(r, profileType)
	if err != nil {
		return err
	}
	if unchanged(w, r, tag) {
		return nil
	}
	return s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error {
		paths, err := s.store.Paths(r.Context(), f)
		if err != nil {
			return err
		}
		return sendProfile(w, r, paths)
	})
}

func sendProfile(w http.ResponseWriter, r *http.Request, p *profile.Profile) error {
	file, err := codec.Encode(p)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", profileType)
	h.Set("Content-Disposition", `attachment; filename="catalogue.markgen"`)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(file) // an error means that the client is gone
	}
	return nil
}

// maxIDs is the max number of APIs that one answer looks up one by one.
const maxIDs = 1000

// sendChanged sends the APIs that changed after a cursor, with all their statistics, as a profile
// file. Its fields about runs are those of the whole catalogue. A client that replaces these APIs
// in earlier answers has the whole catalogue, of any size.
func (s *Server) sendChanged(w http.ResponseWriter, r *http.Request, f fleet.Filter, after store.Cursor, limit int) error {
	var ids []registry.ID
	next, more, err := s.store.Changed(r.Context(), after, limit, func(a *fleet.API) error {
		if f.FitsAPI(a) {
			ids = append(ids, a.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p, err := s.sumOf(r.Context(), ids, f)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Markgen-Cursor", string(next))
	h.Set("Markgen-More", strconv.FormatBool(more))
	return sendProfile(w, r, p)
}

// sumOf returns the statistics of some APIs that a filter selects, as a profile without APIs that
// have none.
func (s *Server) sumOf(ctx context.Context, ids []registry.ID, f fleet.Filter) (*profile.Profile, error) {
	f.Package, f.Function, f.Kind = "", "", ""
	p, _, err := s.store.Profile(ctx, f, 1) // for its fields about runs
	if err != nil {
		return nil, err
	}
	p.Markers = nil
	for _, id := range ids {
		groups, err := s.store.Figures(ctx, id, f, fleet.NoGrouping)
		if err != nil {
			return nil, err
		}
		for i := range groups {
			p.Markers = append(p.Markers, groups[i].Marker)
		}
	}
	slices.SortFunc(p.Markers, func(a, b profile.Marker) int { return profile.CompareMarkers(&a, &b) })
	return p, nil
}

// preferred returns the offered type that the Accept header prefers, the first of equals.
func preferred(accept string, offers ...string) (string, error) {
	if strings.TrimSpace(accept) == "" {
		return offers[0], nil
	}
	best, most := "", 0.0
	for _, offer := range offers {
		weight, precise := 0.0, -1
		for part := range strings.SplitSeq(accept, ",") {
			is, with, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			main, _, _ := strings.Cut(offer, "/")
			at := map[string]int{"*/*": 0, main + "/*": 1, offer: 2}
			how, ok := at[is]
			if !ok || how < precise {
				continue
			}
			q := 1.0
			if text, ok := with["q"]; ok {
				if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
					q = 0
				}
			}
			weight, precise = q, how
		}
		if weight > most {
			best, most = offer, weight
		}
	}
	if best == "" {
		return "", notAcceptable.problem("Accept is %.100q; this is to be had as %s", accept, strings.Join(offers, " and "))
	}
	return best, nil
}

// state returns a string that changes whenever the answer to the query may. Call it before making
// the answer: then the answer is at least as new, and a change meanwhile makes the next state
// different.
func (s *Server) state(r *http.Request, form string) (string, error) {
	at, err := s.store.State(r.Context())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", s.Version, at, form, r.URL.Query().Encode()))
	return hex.EncodeToString(sum[:16]), nil
}

// apiLine is a line of the catalogue as NDJSON.
type apiLine struct {
	Package string `json:"package"`
	Figures any    `json:"figures"` // like a marker in markgen report -format json
}

// sendLines sends a line per API, as the store returns them. A slow client blocks nothing in the
// store, so the statistics of different APIs may be of different moments (see store.Store.Each).
func (s *Server) sendLines(w http.ResponseWriter, r *http.Request, f fleet.Filter) error {
	w.Header().Set("Content-Type", ndjsonType)
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	visit := func(m *profile.Marker) error { return enc.Encode(apiLine{m.Package, report.Figures(m)}) }
	if err := s.store.Each(r.Context(), f, visit); err != nil {
		return err
	}
	return buffered.Flush()
}
