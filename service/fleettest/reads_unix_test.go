//go:build unix

package fleettest

import (
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// newToken creates a token in a store that no server has open.
func newToken(t *testing.T, db, scope string) string {
	t.Helper()
	out, err := exec.Command(command, "token", "add", "-db", db, "-scope", scope, "a test's").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// A hundred clients continuously compare everything with everything, while machines send batches.
// All batches are accepted, and the server's memory stays within its limit. Answer times of batches
// are logged: on an otherwise idle machine the 99th percentile should be at most 500 ms.
func TestConcurrentMerges(t *testing.T) {
	tier.Corpus(t)
	t.Run("SQLite", func(t *testing.T) { readWide(t, filepath.Join(t.TempDir(), "fleet.db")) })
	t.Run("PostgreSQL", func(t *testing.T) {
		server, err := pgtest.Start(t.Context(), pgtest.Hasty)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		url, err := server.Database(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readWide(t, url)
	})
}

func readWide(t *testing.T, db string) {
	ingest, read := newToken(t, db, "ingest"), newToken(t, db, "read")
	s := newServer(t, db)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	load := Load{URL: s.URL(), Token: ingest, Fleet: Fleet{Programs: 10, Builds: 2, CPUs: 2, Markers: 1900}, Batch: 500, Rows: 20_000, Time: 20 * time.Second}
	alone, err := load.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := s.Peak()

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	defer client.CloseIdleConnections()
	var (
		mu      sync.Mutex
		answers = map[int]int{}
		again   = map[int]int{} // of those with Retry-After
		all     sync.WaitGroup
	)
	for range 100 {
		all.Go(func() {
			for ctx.Err() == nil {
				q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+"/v1/compare?old=*&new=*", nil)
				if err != nil {
					t.Error(err)
					return
				}
				q.Header.Set("Authorization", "Bearer "+read)
				answer, err := client.Do(q)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				mu.Lock()
				answers[answer.StatusCode]++
				if answer.Header.Get("Retry-After") != "" {
					again[answer.StatusCode]++
				}
				mu.Unlock()
			}
		})
	}
	load.Time = 40 * time.Second
	got, err := load.Run(t.Context())
	stop()
	all.Wait()
	if err != nil {
		t.Error(err)
	}
	peak := s.Peak()
	t.Logf("alone: %d batches, p50 %v, p99 %v, longest %v", alone.Batches, alone.P50, alone.P99, alone.Max)
	t.Logf("%d batches, p50 %v, p99 %v, longest %v, %d refused; memory %d MiB, before %d MiB; answers to readers: %v, with Retry-After %v",
		got.Batches, got.P50, got.P99, got.Max, got.Refused, peak>>20, before>>20, answers, again)
	if got.Batches == 0 || got.Refused > 0 {
		t.Errorf("%d batches were taken and %d refused; want all", got.Batches, got.Refused)
	}
	if peak > 512<<20 {
		t.Errorf("the server took %d MiB, and has a limit of 512", peak>>20)
	}
	for status, n := range answers {
		if status != http.StatusOK && (status != http.StatusTooManyRequests || again[status] != n) {
			t.Errorf("readers got %v, %v with Retry-After; want 200, or 429 with Retry-After", answers, again)
		}
	}
}
