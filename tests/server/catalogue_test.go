package server_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/server"
)

// A stalled is a response whose client reads nothing before it is released.
type stalled struct {
	*httptest.ResponseRecorder
	begun, release chan struct{}
	once           sync.Once
}

func (w *stalled) Write(text []byte) (int, error) {
	w.once.Do(func() { w.begun <- struct{}{} })
	<-w.release
	return w.ResponseRecorder.Write(text)
}

// However many clients read the catalogue slowly, batches are accepted and queries answered; in the
// end each client has it all.
func TestSlowReaders(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	at.ready()
	p := made(1000, 1, "example.com/shop@v1.0.0")
	if r := at.put(fleet.NewRunID(), "0", encoded(t, p)); r.status != 201 {
		t.Fatalf("%d\n%s", r.status, r.body)
	}
	at.settle()
	release := make(chan struct{})
	begun := make(chan struct{}, 16)
	var all sync.WaitGroup
	for range cap(begun) {
		all.Go(func() {
			w := &stalled{ResponseRecorder: httptest.NewRecorder(), begun: begun, release: release}
			r := httptest.NewRequest("GET", "/v1/catalogue", nil)
			r.Header.Set("Accept", "application/x-ndjson")
			r.Header.Set("Authorization", "Bearer "+at.token["read"])
			at.server.ServeHTTP(w, r)
			if n := bytes.Count(w.Body.Bytes(), []byte("\n")); w.Code != http.StatusOK || n != len(p.Markers) {
				t.Errorf("%d, %d lines, want %d", w.Code, n, len(p.Markers))
			}
		})
	}
	for n := range cap(begun) {
		select {
		case <-begun:
			continue
		case <-time.After(10 * time.Second):
			t.Errorf("%d of %d are answered", n, cap(begun))
		}
		break
	}
	asked := time.Now()
	if r := at.do("GET", "/readyz", nil); r.status != 200 {
		t.Errorf("/readyz: %d\n%s", r.status, r.body)
	}
	if r := at.get("/v1/apis/" + p.Markers[0].ID.String()); r.status != 200 {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	if r := at.put(fleet.NewRunID(), "0", encoded(t, made(1000, 1, "example.com/shop@v1.1.0"))); r.status != 201 { // of the same APIs
		t.Errorf("%d\n%s", r.status, r.body)
	}
	if took := time.Since(asked); took > 10*time.Second {
		t.Errorf("these took %v", took)
	}
	close(release)
	all.Wait()
}

// A client that has the catalogue gets it again even if only the number of runs has changed.
func TestTagOfRuns(t *testing.T) {
	at, _ := filled(t, server.Options{})
	runs := func(r reply) int {
		t.Helper()
		p, err := codec.Decode(r.body, "catalogue")
		if err != nil {
			t.Fatalf("%d: %v", r.status, err)
		}
		return p.Runs
	}
	before := at.get("/v1/catalogue")
	match := "If-None-Match: " + before.header.Get("ETag")
	if r := at.get("/v1/catalogue", match); r.status != 304 {
		t.Errorf("nothing changed: %d", r.status)
	}
	p := made(1, 3, "example.com/shop@v1.0.0")
	p.Markers, p.Runs = nil, 3
	if r := at.put(fleet.NewRunID(), "0", encoded(t, p)); r.status != 201 {
		t.Fatalf("%d\n%s", r.status, r.body)
	}
	at.settle()
	after := at.get("/v1/catalogue", match)
	if after.status != 200 || after.header.Get("ETag") == before.header.Get("ETag") || runs(after) != runs(before)+3 {
		t.Errorf("3 runs came: %d, tag %s after %s", after.status, after.header.Get("ETag"), before.header.Get("ETag"))
	}
}
