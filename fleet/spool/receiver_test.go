//go:build unix

package spool

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/runtime/layout"
)

// A receiver is a strict stand-in for the service.
type receiver struct {
	t    *testing.T
	url  *url.URL
	most int // max bytes of a batch; 0 for no limit

	mu       sync.Mutex
	refuse   int // status of all answers, unless 0
	bodies   map[string][]byte
	order    []string // of all requests, including refused ones
	wires    [][]byte // bodies of batches accepted for the first time, as received
	ages     []int
	declined int
}

const testToken = "mg_testtokentesttoken"

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, bodies: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/batches/{run}/{sequence}", r.put)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r.url, _ = url.Parse(server.URL)
	return r
}

// options returns options for sending to the receiver.
func (r *receiver) options() SendOptions {
	return SendOptions{Target: Target{Server: r.url, Token: testToken, Version: "test"}, Attempts: 3, Pause: time.Millisecond}
}

func (r *receiver) put(w http.ResponseWriter, q *http.Request) {
	wire, err := io.ReadAll(q.Body)
	if err != nil { // cut off in between
		(&fleet.Problem{Type: "/problems/bad-request", Title: "cut off", Status: 400}).Write(w)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := q.PathValue("run") + "/" + q.PathValue("sequence")
	r.order = append(r.order, id)
	fail := func(status int, format string, args ...any) {
		(&fleet.Problem{Type: "/problems/x", Title: "refused", Status: status, Detail: fmt.Sprintf(format, args...)}).Write(w)
	}
	if r.refuse != 0 {
		fail(r.refuse, "as the test wants it")
		return
	}
	if _, err := fleet.ParseRunID(q.PathValue("run")); err != nil {
		r.t.Error(err)
	}
	h := q.Header
	if h.Get("Authorization") != "Bearer "+testToken {
		fail(401, "no token")
		return
	}
	age, err := strconv.Atoi(h.Get("Markgen-Age"))
	if err != nil || age < 0 || h.Get("Content-Type") != ProfileType || h.Get("Content-Encoding") != "gzip" || h.Get("Markgen-Version") == "" {
		r.t.Errorf("head %v", h)
	}
	if len(q.TransferEncoding) > 0 {
		r.t.Errorf("transfer encoding %v", q.TransferEncoding)
	}
	z, err := gzip.NewReader(bytes.NewReader(wire))
	var body []byte
	if err == nil {
		body, err = io.ReadAll(z)
	}
	if err != nil {
		fail(400, "%v", err)
		return
	}
	if r.most > 0 && len(body) > r.most {
		fail(413, "%d bytes", len(body))
		return
	}
	p, err := codec.Decode(body, id)
	if err != nil {
		fail(422, "%v", err)
		return
	}
	known := r.bodies[id] != nil
	if known && !bytes.Equal(r.bodies[id], body) {
		r.t.Errorf("%s came with other bytes", id)
		fail(409, "other bytes")
		return
	}
	if !known {
		r.bodies[id] = body
		r.ages = append(r.ages, age)
		r.wires = append(r.wires, wire)
		n, _ := strconv.Atoi(h.Get("Markgen-Declined"))
		r.declined += n
	}
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusCreated
	if known {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"known": known, "markers": len(p.Markers)})
}

// takeAside accepts the batches in a spool's directory refused.
func (r *receiver) takeAside(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, refusedDir, "*"+layout.DataExt))
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		r.bodies[name] = body
	}
}

// sum returns the sum of what arrived, each batch once.
func (r *receiver) sum() *profile.Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum profile.Sum
	for id, body := range r.bodies {
		p, err := codec.Decode(body, id)
		if err != nil {
			r.t.Fatal(err)
		}
		sum.Add(p)
	}
	return sum.Profile()
}

// want checks that the scopes of the programs came, of so many runs, and nothing else.
func (r *receiver) want(runs int, programs ...program) {
	r.t.Helper()
	type passes struct{ runs, count uint64 }
	want, got := map[string]passes{}, map[string]passes{}
	for _, p := range programs {
		for name, n := range p.counts() {
			want[name] = passes{want[name].runs + min(n, 1), want[name].count + n}
		}
	}
	sum := r.sum()
	total := uint64(0)
	for i := range sum.Markers {
		m := &sum.Markers[i]
		got[m.Name] = passes{m.Runs, m.Count}
		for _, b := range m.Buckets {
			total += b.SumNS
		}
	}
	maps.DeleteFunc(want, func(_ string, n passes) bool { return n.count == 0 })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(passes{})); diff != "" {
		r.t.Errorf("scopes (-want +got):\n%s", diff)
	}
	wantTotal := uint64(0)
	for _, p := range programs {
		for _, times := range p.times {
			for _, ns := range times {
				wantTotal += ns
			}
		}
	}
	if total != wantTotal || sum.Runs != runs {
		r.t.Errorf("%d ns in %d runs, want %d in %d", total, sum.Runs, wantTotal, runs)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, body := range r.bodies {
		if strings.Contains(string(body), "alice") {
			r.t.Errorf("%s names the program's file", id)
		}
	}
}
