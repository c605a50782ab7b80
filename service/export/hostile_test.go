package export

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/markgen/markgen/service/export/exporttest"
)

// Whatever a receiver answers, the error is short enough to read, and nothing is sent to others.
func TestHostileReceivers(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	endless := func(w http.ResponseWriter, status int) {
		w.WriteHeader(status)
		for line := []byte(strings.Repeat("x", 32<<10)); ; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
	for name, tt := range map[string]struct {
		tls     bool
		timeout time.Duration
		answer  http.HandlerFunc
	}{
		"hangs": {timeout: time.Second, answer: func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"hangs in its answer": {timeout: time.Second, answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		"endless error": {answer: func(w http.ResponseWriter, r *http.Request) { endless(w, 400) }},
		"redirect":      {answer: http.RedirectHandler(other.URL, http.StatusTemporaryRedirect).ServeHTTP},
		"redirect to https": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+"/", http.StatusPermanentRedirect)
		}},
		"redirect to itself": {answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/more", http.StatusSeeOther) }},
		"huge header": {answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 16<<20))
			w.WriteHeader(400)
		}},
		"come again in years": {timeout: 2 * time.Second, answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "100000000")
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
		"hangs up":              {timeout: 2 * time.Second, answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"certificate of nobody": {tls: true, timeout: 2 * time.Second, answer: func(http.ResponseWriter, *http.Request) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
				tt.answer(w, r)
			}))
			server.Config.ErrorLog = nil
			if tt.tls {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			headers := map[string]string{"X-Secret": "secret"}
			o, err := OTLP(context.Background(), OTLPOptions{URL: server.URL, Headers: headers, Timeout: tt.timeout})
			if err != nil {
				t.Fatal(err)
			}
			p, err := Pprof(PprofOptions{URL: server.URL, Headers: headers, Timeout: tt.timeout})
			if err != nil {
				t.Fatal(err)
			}
			empty := []Part{{Profile: exporttest.Demo()}}
			empty[0].Profile.Markers = nil
			if err := p.Send(context.Background(), empty); err != nil { // the first Send sends nothing
				t.Fatal(err)
			}
			for what, r := range map[string]Receiver{"OTLP": o, "pprof": p} {
				err := r.Send(context.Background(), []Part{{At: time.Now(), Profile: exporttest.Demo()}})
				if err == nil || len(err.Error()) > 2*64<<10 || strings.Contains(err.Error(), "secret") {
					t.Errorf("%s: %.300v", what, err)
					continue
				}
				t.Logf("%s: %.200v", what, err)
			}
		})
	}
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("another server was sent %d requests", n)
		}
	})
}
