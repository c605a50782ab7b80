package server_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

// A slow store sums statistics when told to.
type slow struct {
	*store.Store
	begun, release chan struct{}
}

func (s *slow) Profile(ctx context.Context, f fleet.Filter, limit int) (*profile.Profile, bool, error) {
	s.begun <- struct{}{}
	select {
	case <-s.release:
		return s.Store.Profile(ctx, f, limit)
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// While statistics of many APIs are summed for one request, others of this kind are told when to
// retry; batches are accepted, and all else is answered. A sum that takes too long gets an error.
func TestConcurrentMerges(t *testing.T) {
	s := &slow{begun: make(chan struct{}, 100), release: make(chan struct{})}
	at := start(t, server.Options{MergeWait: 10 * time.Millisecond, AnswerTime: time.Minute}, server.Limits{}, func(real *store.Store) server.Store {
		s.Store = real
		return s
	})
	at.ready()
	p := made(20, 1, "a/b@v1")
	if r := at.put(fleet.NewRunID(), "0", encoded(t, p)); r.status != 201 {
		t.Fatalf("%d\n%s", r.status, r.body)
	}
	at.settle()
	first := make(chan reply)
	go func() { first <- at.get("/v1/compare?old=*&new=*") }()
	<-s.begun
	for _, path := range []string{"/v1/compare?old=*&new=*", "/v1/catalogue", "/v1/prometheus", "/v1/apis?build=*"} {
		if r := at.get(path); r.status != 429 || r.problem() != "read-limit" || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q\n%s", path, r.status, r.header.Get("Retry-After"), r.body)
		}
	}
	if r := at.put(fleet.NewRunID(), "0", encoded(t, p)); r.status != 201 {
		t.Errorf("a batch: %d\n%s", r.status, r.body)
	}
	for _, path := range []string{"/v1/apis", "/v1/apis/" + p.Markers[0].ID.String(), "/v1/origins", "/v1/changes", "/readyz"} {
		if r := at.get(path); r.status != 200 {
			t.Errorf("%s: %d\n%s", path, r.status, r.body)
		}
	}
	if lines, err := at.tryGet("/v1/catalogue", at.bearer("read"), "Accept: application/x-ndjson"); err != nil || strings.Count(string(lines), "\n") != len(p.Markers) {
		t.Errorf("%v\n%s", err, lines)
	}
	close(s.release)
	if r := <-first; r.status != 200 {
		t.Errorf("the first: %d\n%s", r.status, r.body)
	}
	if r := at.get("/v1/compare?old=*&new=*"); r.status != 200 {
		t.Errorf("in the end: %d\n%s", r.status, r.body)
	}
}

func TestSlowMerge(t *testing.T) {
	at := start(t, server.Options{AnswerTime: 10 * time.Millisecond}, server.Limits{}, func(real *store.Store) server.Store {
		return &slow{Store: real, begun: make(chan struct{}, 100)}
	})
	for range 2 {
		if r := at.get("/v1/compare?old=*&new=*"); r.status != 429 || r.problem() != "read-limit" || !strings.Contains(string(r.body), "choose fewer") {
			t.Errorf("%d\n%s", r.status, r.body)
		}
	}
}

// Answers that do not fit in the memory for slow clients are refused.
func TestLargeAnswer(t *testing.T) {
	at := start(t, server.Options{MaxAnswers: 10}, server.Limits{}, nil)
	if r := at.put(fleet.NewRunID(), "0", encoded(t, made(20, 1, "a/b@v1"))); r.status != 201 {
		t.Fatalf("%d\n%s", r.status, r.body)
	}
	at.settle()
	if r := at.get("/v1/compare?old=*&new=*"); r.status != 429 || r.problem() != "read-limit" {
		t.Errorf("%d\n%s", r.status, r.body)
	}
}
