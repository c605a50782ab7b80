package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

type storeType = store.Store

// A troubled store fails while an error is set.
type troubled struct {
	*store.Store
	err atomic.Pointer[error]
}

func (s *troubled) fail(err error) { s.err.Store(&err) }

func (s *troubled) trouble() error {
	if err := s.err.Load(); err != nil && *err != nil {
		return fmt.Errorf("in a test: %w", *err)
	}
	return nil
}

func (s *troubled) Ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) {
	if err := s.trouble(); err != nil {
		return fleet.Receipt{}, err
	}
	return s.Store.Ingest(ctx, b)
}

func (s *troubled) Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (store.Cursor, bool, error) {
	if err := s.trouble(); err != nil {
		return after, false, err
	}
	return s.Store.Changed(ctx, after, limit, visit)
}

func (s *troubled) API(ctx context.Context, id registry.ID) (*fleet.API, error) {
	if err := s.trouble(); err != nil {
		return nil, err
	}
	return s.Store.API(ctx, id)
}

func (s *troubled) Each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error {
	n := 0
	return s.Store.Each(ctx, f, func(m *profile.Marker) error {
		if n++; n > 10 {
			if err := s.trouble(); err != nil {
				return err
			}
		}
		return visit(m)
	})
}

func (s *troubled) Origins(ctx context.Context, f fleet.Filter) ([]fleet.OriginSum, error) {
	if err := s.trouble(); err != nil {
		return nil, err
	}
	return s.Store.Origins(ctx, f)
}

func (s *troubled) Tokens(ctx context.Context) ([]store.Token, error) {
	if err := s.trouble(); err != nil && errors.Is(err, store.ErrGone) {
		return nil, err
	}
	return s.Store.Tokens(ctx)
}

func (s *troubled) Ping(ctx context.Context) error {
	if err := s.trouble(); err != nil {
		return err
	}
	return s.Store.Ping(ctx)
}

func (s *troubled) Backup(ctx context.Context, w io.Writer) error {
	if err := s.trouble(); err != nil {
		fmt.Fprint(w, "the first part")
		return err
	}
	return s.Store.Backup(ctx, w)
}

// Errors of the store are reported by status and problem, with the time after which to retry; when
// the store recovers, so does the server.
func TestTroubledStore(t *testing.T) {
	var s *troubled
	at := start(t, server.Options{}, server.Limits{}, func(real *store.Store) server.Store {
		s = &troubled{Store: real}
		return s
	})
	at.ready()
	p := made(40, 1, "a/b@v1")
	body := encoded(t, p)
	run := fleet.NewRunID()
	for _, test := range []struct {
		err     error
		status  int
		problem string
		again   bool
	}{
		{store.ErrFull, 507, "store-full", true},
		{store.ErrReadOnly, 503, "store-read-only", true},
		{store.ErrGone, 503, "store-gone", true},
		{store.ErrBehind, 503, "busy", true},
		{context.DeadlineExceeded, 503, "store-gone", true},
		{store.ErrConflict, 409, "batch-conflict", false},
		{errors.New("what nobody thought of, with a secret"), 500, "internal", false},
	} {
		s.fail(test.err)
		r := at.put(run, "0", body)
		if r.status != test.status || r.problem() != test.problem || (r.header.Get("Retry-After") != "") != test.again || strings.Contains(string(r.body), "secret") {
			t.Errorf("%v: %d, Retry-After %q\n%s", test.err, r.status, r.header.Get("Retry-After"), r.body)
		}
		if test.err != store.ErrConflict {
			if r := at.do("GET", "/readyz", nil); r.status != test.status {
				t.Errorf("%v: /readyz %d", test.err, r.status)
			}
			if test.err != store.ErrFull { // it only says that nothing can be added
				if r := at.get("/v1/origins"); r.status != test.status {
					t.Errorf("%v: /v1/origins %d", test.err, r.status)
				}
			}
		}
		if r := at.do("GET", "/healthz", nil); r.status != 200 {
			t.Errorf("%v: /healthz %d", test.err, r.status)
		}
		s.fail(nil)
		if r := at.do("GET", "/readyz", nil); r.status != 200 {
			t.Errorf("after %v: /readyz %d", test.err, r.status)
		}
	}
	if r := at.put(run, "0", body); r.status != 201 {
		t.Errorf("in the end: %d\n%s", r.status, r.body)
	}
	at.settle()
	if r := at.get("/v1/apis/" + p.Markers[0].ID.String()); r.status != 200 {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	// A started answer can't report an error: the client sees that it is incomplete.
	s.fail(store.ErrGone)
	for _, path := range []string{"/v1/backup"} {
		if whole, err := at.tryGet(path, at.bearer("admin")); err == nil {
			t.Errorf("%s is taken as whole: %q", path, whole)
		}
	}
	s.fail(nil)
}

// Each problem has a page.
func TestProblems(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	at := start(t, server.Options{}, server.Limits{}, nil)
	for _, m := range regexp.MustCompile("(?m)^`([a-z-]+)`\\|(\\d{3})\\|").FindAllStringSubmatch(string(text), -1) {
		if r := at.do("GET", "/problems/"+m[1], nil); r.status != 200 || !strings.Contains(string(r.body), "(status "+m[2]+")") {
			t.Errorf("%s: %d %s", m[1], r.status, r.body)
		}
	}
	if r := at.do("GET", "/problems/none", nil); r.status != 404 {
		t.Errorf("%d", r.status)
	}
}
