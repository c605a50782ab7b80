package fleet

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// A Problem is an error answer of the service (RFC 9457, application/problem+json).
type Problem struct {
	Type   string `json:"type"`   // "/problems/" and a word that never changes, such as token-expired; docs/reference/http-api.md lists them
	Title  string `json:"title"`  // the same for all problems of the type
	Status int    `json:"status"` // HTTP status
	Detail string `json:"detail"` // what is wrong with the request, and what to do

	// RetryAfter is the time to wait before repeating the request; 0 if repeating is useless until
	// something else changes. It is the header Retry-After, in whole seconds.
	RetryAfter time.Duration `json:"-"`
}

func (p *Problem) Error() string { return p.Title + ": " + p.Detail }

// Write sends the problem as an answer.
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
