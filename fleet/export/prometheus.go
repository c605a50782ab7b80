package export

import (
	"net/http"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/report"
)

// Prometheus returns a handler of requests by Prometheus for the catalogue, as the store has it at that moment: the
// metrics of markgen report -format prom, with native histograms for who asks for protocol buffers. filter says for
// each request what is asked for; if it is not ok it has answered. A catalogue with more markers than limit, 0 being
// 10,000, is refused: a part of it would be taken for the whole.
func Prometheus(s Store, limit int, filter func(w http.ResponseWriter, r *http.Request) (f fleet.Filter, ok bool)) http.Handler {
	if limit <= 0 {
		limit = 10_000
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := filter(w, r)
		if !ok {
			return
		}
		p, more, err := s.Profile(r.Context(), f, limit)
		switch {
		case err != nil:
			(&fleet.Problem{Type: "/problems/store", Title: "The store does not answer", Status: http.StatusServiceUnavailable, Detail: err.Error()}).Write(w)
		case more:
			(&fleet.Problem{Type: "/problems/too-many", Title: "Too many markers", Status: http.StatusUnprocessableEntity, Detail: "what is asked for has more markers than a scrape may have; choose fewer by package, function or kind"}).Write(w)
		default:
			report.ServeProm(w, r, p)
		}
	})
}
