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
	"strconv"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/catalogue"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
)

// A Catalogue is the APIs there are, in memory: *catalogue.Index is one.
type Catalogue interface {
	Search(catalogue.Query) (catalogue.Found, error)
	List(catalogue.List) catalogue.Listed
	API(registry.ID) (fleet.API, bool)
	Packages(after string, limit int) ([]catalogue.Package, int)
	Ready() bool
	Len() int
}

// getCatalogue gives what a filter chooses as a whole: as a profile file, which markgen report, merge and diff read, or
// as a line of JSON for each API, of which there may be any number.
func (s *Server) getCatalogue(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, filterParams...)
	f := p.filter()
	if p.err != nil {
		return p.err
	}
	form, err := preferred(strings.Join(r.Header.Values("Accept"), ","), profileType, ndjsonType)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
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
	sum, err := s.merged(r, f)
	if err != nil {
		return err
	}
	file, err := profile.Encode(sum)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", profileType)
	h.Set("Content-Disposition", `attachment; filename="catalogue.markgen"`)
	h.Set("Content-Length", strconv.Itoa(len(file)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(file) // an error is the client's, who has gone
	}
	return nil
}

// preferred is the first of the types that are offered which an Accept header has the most regard for.
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

// state is a text that is another one as soon as anything is in the catalogue that was not, for an answer to the query.
// It is taken before the answer is made, so that an answer is never older than it.
func (s *Server) state(r *http.Request, form string) (string, error) {
	at, err := s.latest.find(r.Context(), s.store)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", s.Version, at, form, r.URL.Query().Encode()))
	return hex.EncodeToString(sum[:16]), nil
}

// apiLine is a line of the catalogue as NDJSON.
type apiLine struct {
	Package string `json:"package"`
	Figures any    `json:"figures"` // as a marker in markgen report -format json
}

// sendLines sends a line for each API, as they come from the store.
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
	if err := s.each(r.Context(), f, visit); err != nil {
		return err
	}
	return buffered.Flush()
}

// each gives the figures that a filter chooses to visit, API by API. It asks the store for a package at a time, so that
// memory does not grow with the catalogue.
func (s *Server) each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	if f.Package != "" && !strings.ContainsAny(f.Package, "*?") {
		return s.eachOf(ctx, f, visit)
	}
	if err := s.eachWithout(ctx, f, visit); err != nil {
		return err
	}
	for after := ""; ; {
		list, _ := s.Catalogue.Packages(after, 1000)
		for _, p := range list {
			if of := f; p.Path != "" && (f.Package == "" || fits(f.Package, p.Path)) {
				of.Package = p.Path
				if err := s.eachOf(ctx, of, visit); err != nil {
					return err
				}
			}
		}
		if len(list) < 1000 {
			return nil
		}
		after = list[len(list)-1].Path
	}
}

// eachOf is each for one package.
func (s *Server) eachOf(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	p, _, err := s.store.Profile(ctx, f, 0)
	if err != nil {
		return err
	}
	for i := range p.Markers {
		if err := visit(&p.Markers[i]); err != nil {
			return err
		}
	}
	return nil
}

// eachWithout is each for what is in no package: stopwatches. By name they come first.
func (s *Server) eachWithout(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	if f.Package != "" {
		return nil
	}
	for l := (catalogue.List{Limit: 100}); ; {
		listed := s.Catalogue.List(l)
		for i := range listed.APIs {
			a := &listed.APIs[i]
			if a.Package != "" {
				return nil
			}
			if f.Kind != "" && f.Kind != a.Kind || f.Function != "" && !fits(f.Function, a.Name) {
				continue
			}
			groups, err := s.store.Figures(ctx, a.ID, f, fleet.ByNothing)
			if err != nil {
				return err
			}
			for k := range groups {
				if err := visit(&groups[k].Marker); err != nil {
					return err
				}
			}
		}
		if l.After = listed.Next; l.After == 0 {
			return nil
		}
	}
}

// fits tells whether a text fits a pattern of a fleet.Filter, in which * stands for any text and ? for one byte.
func fits(pattern, text string) bool {
	star, from := -1, 0 // the last star, and where what it stands for ends
	i, k := 0, 0
	for i < len(text) {
		switch {
		case k < len(pattern) && pattern[k] == '*':
			star, from = k, i
			k++
		case k < len(pattern) && (pattern[k] == '?' || pattern[k] == text[i]):
			i, k = i+1, k+1
		case star >= 0:
			from++
			i, k = from, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[k:], "*") == ""
}
