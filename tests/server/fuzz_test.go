package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

// target returns a server for fuzzing, with some statistics, public reading and sending, and a
// token of each kind.
func target(f *testing.F) (h http.Handler, admin string) {
	f.Helper()
	s, err := store.Open(context.Background(), filepath.Join(f.TempDir(), "fleet.db"), store.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	admin, token, err := server.NewToken("fuzz", server.Scopes(), time.Now(), time.Time{})
	if err == nil {
		err = s.AddToken(context.Background(), token)
	}
	if err != nil {
		f.Fatal(err)
	}
	p := made(20, 1, "example.com/shop@v1.0.0")
	for i, build := range []string{"v1.0.0", "v1.1.0"} {
		p.Version = build
		b := &fleet.Batch{Origin: fleet.OriginOf(p), Day: 20_000, Profile: p, Body: encoded(f, p)}
		b.ID = fleet.BatchID{Build: b.Origin.Build, Run: fleet.RunID{byte(i)}}
		if _, err := s.Ingest(context.Background(), b); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.Settle(context.Background()); err != nil {
		f.Fatal(err)
	}
	index := catalogue.New()
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	go index.Follow(ctx, s, catalogue.Options{})
	for !index.Ready() {
		time.Sleep(time.Millisecond)
	}
	h, err = server.New(s, server.Options{Catalogue: index, PublicRead: true, PublicIngest: true, Rate: -1, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		f.Fatal(err)
	}
	return h, admin
}

// sound fails on an answer that no request may get: an internal error, or a refusal that is not a
// problem document.
func sound(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	var p fleet.Problem
	switch {
	case w.Code == 500 || w.Code > 511:
		t.Errorf("%s %q: %d\n%s", r.Method, r.URL, w.Code, w.Body)
	case w.Code < 400 || r.Method == http.MethodHead || strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"):
	case w.Header().Get("Content-Encoding") != "":
	case json.Unmarshal(w.Body.Bytes(), &p) != nil || p.Status != w.Code || p.Detail == "" || p.Title == "":
		t.Errorf("%s %q: %d and no problem document\n%s", r.Method, r.URL, w.Code, w.Body)
	}
}

// Bytes that net/http accepts as a request never get an internal error.
func FuzzRequest(f *testing.F) {
	h, admin := target(f)
	id := made(20, 1, "").Markers[0].ID.String()
	for _, path := range []string{
		"GET /v1/apis?q=item&kind=func&limit=3", "GET /v1/apis?sort=mean&cpu=*&from=2020-01-01", "GET /v1/apis/" + id + "?by=day", "GET /v1/packages?cursor=a",
		"GET /v1/origins?build=*", "GET /v1/changes?limit=2", "GET /v1/new?since=2020-01-01", "GET /v1/catalogue?id=" + id, "GET /v1/catalogue?cursor=&limit=3",
		"GET /v1/compare?old=*0.0&new=*1.0&threshold=0", "GET /v1/tokens", "POST /v1/tokens", "DELETE /v1/tokens/abcdefgh", "HEAD /v1/backup", "GET /healthz", "GET /readyz",
		"GET /metrics", "GET /openapi.yaml", "GET /problems/busy", "GET /login?next=/x", "POST /login", "POST /logout", "PUT /v1/batches/" + strings.Repeat("a", 32) + "/0",
		"OPTIONS *", "CONNECT x:1", "GET http://x/v1//apis", "GET /v1/%2e%2e/apis", "BREW /v1/apis",
	} {
		f.Add([]byte(path + " HTTP/1.1\r\nHost: x\r\nAccept: application/json, */*;q=0.1\r\nIf-None-Match: \"x\"\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"name\":\"x\",\"scopes\":[\"ingest\"]}\n"))
		f.Add([]byte(path + " HTTP/1.0\r\nAuthorization: Bearer " + admin + "\r\nAccept-Encoding: gzip\r\nCookie: markgen=" + admin[3:11] + ".9999999999.aaaa\r\n\r\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		sound(t, r, w)
	})
}

// Arbitrary bytes sent as a batch are accepted or refused, and accepted ones can be queried.
func FuzzBatch(f *testing.F) {
	h, _ := target(f)
	for _, n := range []int{0, 1, 3, 20} {
		body := encoded(f, made(n, uint64(n), "example.com/shop@v1.0.0"))
		f.Add(body, false)
		f.Add(packed(f, body), true)
	}
	p := made(20, 1, "example.com/shop@v1.0.0")
	p.Paths = profiletest.RandomPaths(p, 50, 1)
	f.Add(encoded(f, p), false)
	f.Add(bombOfNames(), false)
	f.Add([]byte("markgen\x00"), false)
	n := 0
	f.Fuzz(func(t *testing.T, body []byte, zipped bool) {
		n++
		r := httptest.NewRequest("PUT", fmt.Sprintf("/v1/batches/%s/0", fleet.NewRunID()), bytes.NewReader(resummed(body)))
		r.Header.Set("Content-Type", profileType)
		if zipped {
			r.Header.Set("Content-Encoding", "gzip")
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		sound(t, r, w)
		if w.Code == http.StatusCreated && n%50 == 0 {
			for _, path := range []string{"/v1/catalogue", "/v1/paths"} {
				r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
				h.ServeHTTP(w, r)
				sound(t, r, w)
			}
		}
	})
}
