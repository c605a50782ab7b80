package server

import (
	"net/http"

	"github.com/markgen/markgen/report"
)

// getPrometheus sends what a filter selects of the catalogue as metrics, like markgen report
// -format prom, with native histograms for clients that accept protocol buffers. More than one
// answer may have is refused: a part would be mistaken for all.
func (s *Server) getPrometheus(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, filterParams...)
	f := p.filter()
	if p.err != nil {
		return p.err
	}
	return s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error {
		sum, err := s.merged(r, f)
		if err == nil {
			report.ServeProm(w, r, sum, report.Options{})
		}
		return err
	})
}
