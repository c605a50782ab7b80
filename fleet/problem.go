package fleet

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// A Problem is a refusal, as the service sends it (RFC 9457, application/problem+json). It is an error.
type Problem struct {
	Type   string `json:"type"`   // "/problems/" and a word that stays the same, such as token-expired; docs/serve.md lists them
	Title  string `json:"title"`  // the same for all problems of the type
	Status int    `json:"status"` // of HTTP
	Detail string `json:"detail"` // what is wrong with this request, and what to do

	// RetryAfter is how long a client should wait before it tries again; 0: trying again is of no use
	// until something else has changed. It is the header Retry-After, in whole seconds.
	RetryAfter time.Duration `json:"-"`
}

func (p *Problem) Error() string { return p.Title + ": " + p.Detail }

// Write answers a request with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}
