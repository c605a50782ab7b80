package fleettest

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/markgen/markgen/fleet"
)

// A client keeps what was not accepted, repeats it until it is, and reports answers that it should
// never get.
func TestClient(t *testing.T) {
	var status atomic.Int64 // of the server's answer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, "because")
	}))
	defer server.Close()
	const batches = 100
	c := &Client{URL: func() string { return server.URL }, HTTP: server.Client(), Rand: rand.New(rand.NewPCG(1, 2)), Trouble: new(Trouble)}
	for i := range uint32(batches) {
		c.waiting = append(c.waiting, delivery{fleet.NewRunID(), i, []byte("a batch")})
	}
	send := func(ctx context.Context) {
		t.Helper()
		if err := c.Send(ctx); err != nil {
			t.Fatal(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if send(ended); c.Waiting() != batches || c.Trouble.Sent.Load() != 0 {
		t.Errorf("of an ended context %d are left, %d were sent", c.Waiting(), c.Trouble.Sent.Load())
	}
	for _, code := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		status.Store(int64(code))
		before := c.Trouble.Refused.Load()
		if send(t.Context()); c.Waiting() != batches || c.Trouble.Refused.Load() == before {
			t.Errorf("answered with %d: %d are left, %d were turned away", code, c.Waiting(), c.Trouble.Refused.Load()-before)
		}
	}
	if c.Trouble.Twice.Load() == 0 || c.Trouble.Cut.Load() == 0 || c.Trouble.Unheard.Load() == 0 {
		t.Errorf("nothing went wrong: %v", c.Trouble)
	}
	status.Store(http.StatusCreated)
	for c.Waiting() > 0 {
		before := c.Waiting()
		if send(t.Context()); c.Waiting() > before {
			t.Fatalf("%d are left of %d", c.Waiting(), before)
		}
	}
	c.waiting = append(c.waiting, delivery{fleet.NewRunID(), 0, []byte("a batch")})
	status.Store(http.StatusBadRequest)
	var err error
	for err == nil { // until it gets the answer
		err = c.Send(t.Context())
	}
	if !strings.HasSuffix(err.Error(), "a batch was answered with 400: because") {
		t.Error(err)
	}
	server.Close()
	failed := c.Trouble.Failed.Load()
	if send(t.Context()); c.Waiting() != 1 || c.Trouble.Failed.Load() == failed {
		t.Errorf("of no server: %d are left, %v", c.Waiting(), c.Trouble)
	}
}
