package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/server"
)

// Batches without markers are requests and add origins: both consume the token's allowance. Invalid
// tokens consume the allowance of their address, whose valid tokens still work.
func TestRequestRate(t *testing.T) {
	now := time.Now()
	at := start(t, server.Options{Rate: 100, MaxMarkers: 10, Now: func() time.Time { return now }}, server.Limits{}, nil) // 1000 rows at once
	empty := func(build string) []byte {
		p := made(1, 1, build)
		p.Markers = nil
		return encoded(t, p)
	}
	origins := 0
	for ; origins < 200; origins++ {
		if r := at.put(fleet.NewRunID(), "0", empty("a/b@v"+strings.Repeat("1", origins+1))); r.status == 429 {
			if r.problem() != "rate-limit" || r.header.Get("Retry-After") == "" {
				t.Errorf("%v\n%s", r.header, r.body)
			}
			break
		} else if r.status != 201 {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
	if origins != 48 { // each costs 20 rows and 1; the last ones make the allowance negative
		t.Errorf("%d origins at once, want 48", origins)
	}
	now = now.Add(20 * time.Second) // the allowance is full again
	body, run := empty("a/b@v1"), fleet.NewRunID()
	requests := 0
	for at.put(run, "0", body).status != 429 {
		requests++
	}
	if requests != 1000 {
		t.Errorf("%d requests at once, want 1000", requests)
	}
	unknown := "Authorization: Bearer mg_no"
	failed := 0
	for at.do("GET", "/v1/apis", nil, unknown).status == http.StatusUnauthorized {
		failed++
	}
	if failed != 1000 {
		t.Errorf("%d unknown tokens at once, want 1000", failed)
	}
	if r := at.do("GET", "/v1/apis", nil, unknown); r.status != 429 || r.problem() != "rate-limit" {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	if r := at.get("/v1/apis"); r.status != 200 {
		t.Errorf("a good token: %d\n%s", r.status, r.body)
	}
}
