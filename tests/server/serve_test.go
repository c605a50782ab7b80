package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

const profileType = "application/vnd.markgen.profile"

// A site is a listening server, with its store and a token for each scope.
type site struct {
	t      *testing.T
	url    string
	store  *store.Store
	server *server.Server
	index  *catalogue.Index
	token  map[string]string // by scope
	logged *bytes.Buffer
	end    func() error // drains it and waits
}

// start starts a server of a new store. wrap, unless nil, wraps the store.
func start(t *testing.T, o server.Options, limits server.Limits, wrap func(*store.Store) server.Store) *site {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "fleet.db"), store.Options{Days: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	at := &site{t: t, store: s, token: map[string]string{}, index: catalogue.New(), logged: new(bytes.Buffer)}
	for _, scope := range server.Scopes() {
		at.token[scope] = at.newToken(time.Time{}, scope)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go at.index.Follow(ctx, s, catalogue.Options{Every: 5 * time.Millisecond})
	o.Catalogue = at.index
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var between server.Store = s
	if wrap != nil {
		between = wrap(s)
	}
	if at.server, err = server.New(between, o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at.url = "http://" + l.Addr().String()
	if limits.TLS != nil {
		at.url = "https://" + l.Addr().String()
	}
	drain, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(drain, l, at.server, limits) }()
	over := false
	at.end = func() error {
		if over {
			return nil
		}
		over = true
		stop()
		return <-ended
	}
	t.Cleanup(func() {
		if err := at.end(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return at
}

// newToken makes a token in the store.
func (at *site) newToken(expires time.Time, scopes ...string) string {
	at.t.Helper()
	created := time.Now()
	if !expires.IsZero() && expires.Before(created) {
		created = expires.Add(-time.Hour)
	}
	text, token, err := server.NewToken("a test's", scopes, created, expires)
	if err == nil {
		err = at.store.AddToken(at.t.Context(), token)
	}
	if err != nil {
		at.t.Fatal(err)
	}
	return text
}

// A reply is an answer, read completely.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// problem returns the word of the problem document, or "" if the answer is none.
func (r reply) problem() string {
	var p fleet.Problem
	if r.header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(r.body, &p) != nil {
		return ""
	}
	return strings.TrimPrefix(p.Type, "/problems/")
}

// into decodes a JSON answer.
func (r reply) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil || r.status >= 300 {
		t.Fatalf("%d: %v\n%s", r.status, err, r.body)
	}
}

// do sends a request, and checks the answer against openapi.yaml. Headers are NAME: VALUE.
func (at *site) do(method, path string, body []byte, headers ...string) reply {
	at.t.Helper()
	r, err := http.NewRequestWithContext(at.t.Context(), method, at.url+path, bytes.NewReader(body))
	if err != nil {
		at.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Add(name, value)
	}
	res, err := plain.Do(r)
	if err != nil {
		at.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	got := reply{status: res.StatusCode, header: res.Header}
	if got.body, err = io.ReadAll(res.Body); err != nil {
		at.t.Fatalf("%s %s: %v", method, path, err)
	}
	conforms(at.t, r, got)
	return got
}

// plain does not follow redirects or decompress answers.
var plain = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true},
}

// get is do with a token that may read.
func (at *site) get(path string, headers ...string) reply {
	at.t.Helper()
	return at.do("GET", path, nil, append([]string{at.bearer("read")}, headers...)...)
}

func (at *site) bearer(scope string) string { return "Authorization: Bearer " + at.token[scope] }

// put sends a batch.
func (at *site) put(id fleet.RunID, sequence string, body []byte, headers ...string) reply {
	at.t.Helper()
	return at.do("PUT", "/v1/batches/"+id.String()+"/"+sequence, body, append([]string{at.bearer("ingest"), "Content-Type: " + profileType}, headers...)...)
}

// ready waits until the server has read its catalogue.
func (at *site) ready() {
	for at.do("GET", "/readyz", nil).status != 200 {
		time.Sleep(5 * time.Millisecond)
	}
}

// settle returns when answers include all that was sent.
func (at *site) settle() {
	at.t.Helper()
	if err := at.store.Settle(at.t.Context()); err != nil {
		at.t.Fatal(err)
	}
	// Once the index has asked for changes twice, it has any change made before.
	want := 0
	if _, _, err := at.store.Changed(at.t.Context(), "", 0, func(*fleet.API) error { want++; return nil }); err != nil {
		at.t.Fatal(err)
	}
	same := func() bool {
		ok := at.index.Len() == want
		if _, _, err := at.store.Changed(at.t.Context(), "", 0, func(a *fleet.API) error {
			have, _ := at.index.API(a.ID)
			ok = ok && have.Count == a.Count && have.Changed.Equal(a.Changed)
			return nil
		}); err != nil {
			at.t.Fatal(err)
		}
		return ok
	}
	for !same() {
		time.Sleep(5 * time.Millisecond)
	}
}

// made returns a profile as markgen push sends it, with consistent statistics and an origin.
func made(n int, seed uint64, build string) *profile.Profile {
	p := profiletest.Random(n, seed)
	p.Main, p.Version, _ = strings.Cut(build, "@")
	p.Go, p.GOOS, p.GOARCH, p.CPU = "go1.26.8", "linux", "amd64", "AMD EPYC 7B13"
	p.Blocks, p.Pairs, p.Trace, p.Warnings, p.Changes = nil, nil, nil, nil, nil
	list := p.Markers[:0]
	for _, m := range p.Markers {
		if m.Count > 0 {
			m.Callers = nil
			list = append(list, m)
		}
	}
	p.Markers = list
	return p
}

func encoded(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	file, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tryGet requests a path, and also returns an error of reading the answer.
func (at *site) tryGet(path string, headers ...string) ([]byte, error) {
	r, err := http.NewRequestWithContext(at.t.Context(), http.MethodGet, at.url+path, nil)
	if err != nil {
		at.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	res, err := plain.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}
