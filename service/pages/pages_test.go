package pages_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/markgen/markgen/fleet"
	markgen "github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/pages/pagestest"
	"github.com/markgen/markgen/service/store"
)

// get requests an address.
func get(t *testing.T, h http.Handler, address string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer := w.Result()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// words returns the text of a page, without tags.
func words(text string) string {
	_, text, _ = strings.Cut(text, "<main")
	text = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " ")
	text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

func TestWords(t *testing.T) {
	h := pagestest.NewShop(t).Pages()
	for _, test := range []struct {
		address string
		want    []string
	}{
		{"/", []string{"22 APIs of 8 packages", "Most time", "example.com/shop/store. Open", "New since yesterday", "1 new API since yesterday", "example.com/shop/cart 3 APIs"}},
		{"/search?q=buf+write", []string{"4 APIs for buf write", "bytes. (*Buffer).Write 57,809 calls", "for#1 loop 58,957 iterations"}},
		{"/search?q=nosuchthing", []string{"Nothing for nosuchthing", "Every word has to be in the name"}},
		{"/search?q=", []string{"22 APIs, those first that are called most"}},
		{"/package/bytes", []string{"package bytes", "3 functions", "Equal"}},
		{"/package/bytes?kind=all&sort=calls", []string{"5 markers", "those first that are called most"}},
		{"/api/0000000000001000", []string{
			"func bytes. (*Buffer).Write", "A call takes", "half of them at most", "Measured in", "of 6 builds", "on processors of 4 models",
			"calls 57,809", "Memory allocated in a call", "growth: no", "By size of the input", "p50 and p90 from build to build",
			"By build, the newest first", "shop@v1.0.0", "By processor", "AMD EPYC 7B13", "not known", "darwin", "for#1 loop", "Choose figures", "profile file",
		}},
		{"/api/0000000000001001", []string{"loop bytes. (*Buffer).Write:for#1", "in (*Buffer).Write", "An iteration takes"}},
		{"/api/0000000000001000?build=*@v1.0.0&goarch=arm64&from=2026-01-01&to=2026-12-31", []string{
			"Figures of build *@v1.0.0, architecture arm64, from 2026-01-01, to 2026-12-31 alone", "of 1 build",
		}},
		{"/api/0000000000001000?build=nothing", []string{"There are no figures of it here."}},
		{"/api/000000000000100c", []string{"A call took", "the only one that was timed", "few data"}},
		{"/compare", []string{"Choose builds"}},
		{"/compare?old=example.com/shop/cmd/shop@v1.1.1&new=example.com/shop/cmd/shop@v1.3.0&goos=linux&cpu=AMD*", []string{
			"2 are slower" + "|" + "1 is slower", "APIs were tested", "corrected for that", "▲ slower +", "(*Cart).Add", "▼ faster −", "(*Cart).Total", "APIs that the new build alone has", "Price",
		}},
		{"/new", []string{"New since 2026-05-11", "1 new API", "shop@v1.3.0", "compare with v1.2.0", "Price"}},
		{"/new?since=2026-01-01", []string{"22 new APIs", "shop@v1.0.0"}},
	} {
		answer, text := get(t, h, test.address)
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s\n%s", test.address, answer.Status, words(text))
			continue
		}
		said := words(text)
		for _, want := range test.want {
			some := false
			for one := range strings.SplitSeq(want, "|") {
				some = some || strings.Contains(said, one)
			}
			if !some {
				t.Errorf("%s does not say %q; it says\n%.3000s", test.address, want, said)
			}
		}
	}
}

// Each page has a policy that forbids loading from elsewhere and inline scripts, and is not cached
// by proxies.
func TestHeaders(t *testing.T) {
	h := pagestest.NewShop(t).Pages()
	for _, address := range append(pagestest.Addresses, "/nothing") {
		answer, text := get(t, h, address)
		policy := answer.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "style-src 'self'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy is %s", address, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", address, answer.Header)
		}
		if cache := answer.Header.Get("Cache-Control"); cache != "private, no-cache" && cache != "no-store" {
			t.Errorf("%s may be kept: %s", address, cache)
		}
		if regexp.MustCompile(`<style|<script(>| [^s])|<[^<>]* (style|on[a-z]+)=`).MatchString(text) {
			t.Errorf("%s has a script or a style in it", address)
		}
	}
}

// An unchanged page is not sent again; a style sheet is requested once.
func TestTags(t *testing.T) {
	s := pagestest.NewShop(t)
	h := s.Pages()
	first, text := get(t, h, "/api/0000000000001000")
	tag := first.Header.Get("ETag")
	if again, body := get(t, h, "/api/0000000000001000", "If-None-Match", `"x", W/`+tag); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("the same again: %s, %d bytes", again.Status, len(body))
	}
	b := pagestest.Batches()[0]
	file, err := codec.Encode(b.Profile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ingest(context.Background(), &fleet.Batch{ID: fleet.BatchID{Build: b.Origin.Build, Run: fleet.NewRunID()}, Origin: b.Origin, Day: 20000, Profile: b.Profile, Body: file}); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	if again, _ := get(t, h, "/api/0000000000001000", "If-None-Match", tag); again.StatusCode != http.StatusOK || again.Header.Get("ETag") == tag {
		t.Errorf("with other figures: %s", again.Status)
	}
	for _, name := range regexp.MustCompile(`/assets/[^"]+`).FindAllString(text, -1) {
		asset, body := get(t, h, name)
		if asset.StatusCode != http.StatusOK || body == "" || !strings.Contains(asset.Header.Get("Cache-Control"), "immutable") || asset.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %s %v", name, asset.Status, asset.Header)
		}
	}
	for _, name := range []string{"/assets/", "/assets/x/page.css", "/assets/../pages.go"} {
		if asset, _ := get(t, h, name); asset.StatusCode < 300 {
			t.Errorf("%s: %s", name, asset.Status)
		}
	}
}

// Errors are pages, and say what to do.
func TestProblems(t *testing.T) {
	s := pagestest.NewShop(t)
	h := s.Pages()
	for _, test := range []struct {
		address string
		status  int
		want    string
	}{
		{"/nothing", 404, "There is no page at this address"},
		{"/api/1", 404, "16 hexadecimal digits"},
		{"/api/00000000000000ff", 404, "There is no API by this ID"},
		{"/api/0000000000001000/figures.xml", 404, "figures.json, figures.pb.gz and figures.markgen"},
		{"/api/0000000000001000?cpuu=x", 400, `There is no parameter "cpuu"`},
		{"/api/0000000000001000?cpu=x&cpu=y", 400, "there twice"},
		{"/api/0000000000001000?from=yesterday", 400, "such as 2006-01-02"},
		{"/api/0000000000001000?from=2026-02-02&to=2026-01-01", 400, "is after the last"},
		{"/api/0000000000001000?cpu=" + strings.Repeat("x", 3000), 400, "longer than"},
		{"/api/0000000000001000?cpu=%ff", 400, "no text"},
		{"/package/no/such", 404, "no package no/such"},
		{"/package/bytes?sort=color", 400, "total or calls"},
		{"/package/bytes?kind=loop", 400, "all, or left out"},
		{"/package/bytes?after=x", 400, "an API's ID"},
		{"/search?q=x&after=1", 400, "Search again"},
		{"/new?since=never", 400, "no day"},
		{"/compare?old=a&new=b", 404, "There are no figures of the build"},
		{"/compare?old=a&new=b&build=c", 400, "given as old and new"},
	} {
		answer, text := get(t, h, test.address)
		if said := words(text); answer.StatusCode != test.status || !strings.Contains(said, test.want) {
			t.Errorf("%.100s: %s, %.300s", test.address, answer.Status, said)
		}
	}

	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest(http.MethodPost, "/", nil))
	if r.Code != http.StatusMethodNotAllowed || r.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, %v", r.Code, r.Header())
	}
	r = httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest(http.MethodHead, "/", nil))
	if r.Code != http.StatusOK || r.Body.Len() != 0 || r.Header().Get("ETag") == "" {
		t.Errorf("HEAD: %d, %d bytes", r.Code, r.Body.Len())
	}

	few := pages.New(pages.Options{Store: s, Catalogue: s.Index, MaxMerged: 3})
	if answer, text := get(t, few, "/compare?old=*v1.0.0&new=*v1.1.0"); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(words(text), "Choose a package") {
		t.Errorf("more than is compared: %s", answer.Status)
	}
}

// A broken store returns an error.
type broken struct{ err error }

func (b broken) API(context.Context, registry.ID) (*fleet.API, error) { return nil, b.err }
func (b broken) FiguresBy(context.Context, registry.ID, fleet.Filter, ...fleet.Grouping) ([][]fleet.Group, error) {
	return nil, b.err
}
func (b broken) Profile(context.Context, fleet.Filter, int) (*markgen.Profile, bool, error) {
	return nil, false, b.err
}
func (b broken) Origins(context.Context, fleet.Filter) ([]fleet.OriginSum, error) { return nil, b.err }

// Errors of the store are shown as a page, without the error's text.
func TestStoreFails(t *testing.T) {
	for err, status := range map[error]int{
		fmt.Errorf("dialing secret.example: %w", store.ErrGone): http.StatusServiceUnavailable,
		errors.New("secret: disk I/O error"):                    http.StatusInternalServerError,
	} {
		told := 0
		h := pages.New(pages.Options{Store: broken{err}, Catalogue: catalogue.New(), Failed: func(*http.Request, error) { told++ }})
		for _, address := range []string{"/api/0000000000001000", "/compare", "/new", "/api/0000000000001000/figures.json"} {
			answer, text := get(t, h, address)
			if answer.StatusCode != status || strings.Contains(text, "secret") || !strings.Contains(words(text), "Who runs the service finds the cause in its log") && !strings.Contains(words(text), "Try again") {
				t.Errorf("%s: %s, %s", address, answer.Status, words(text))
			}
		}
		if told != 4 {
			t.Errorf("%d of 4 errors were told", told)
		}
		if answer, _ := get(t, h, "/search?q=x"); answer.StatusCode != http.StatusOK {
			t.Errorf("a search needs no store: %s", answer.Status)
		}
	}
}

// The page of an empty catalogue explains how to fill it.
func TestEmpty(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir()+"/fleet.db", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := catalogue.New()
	h := pages.New(pages.Options{Store: s, Catalogue: x})
	if _, text := get(t, h, "/"); !strings.Contains(words(text), "still being read") {
		t.Error("it does not say that it is being read")
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { x.Follow(ctx, s, catalogue.Options{}); close(done) }()
	for !x.Ready() {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	if _, text := get(t, h, "/"); !strings.Contains(words(text), "markgen push") {
		t.Error("it does not say how anything comes here")
	}
	for _, address := range []string{"/new", "/compare", "/search?q=x"} {
		if answer, text := get(t, h, address); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, text)
		}
	}
}

// The files of an API's page have its statistics.
func TestFiles(t *testing.T) {
	h := pagestest.NewShop(t).Pages()
	const of = "/api/0000000000001000/"
	_, text := get(t, h, of+"figures.markgen?goos=linux")
	p, err := codec.Decode([]byte(text), "figures")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Markers) != 1 || p.Markers[0].Name != "bytes.(*Buffer).Write" || p.Markers[0].Count != 47362 {
		t.Errorf("the profile file has %d markers, %v", len(p.Markers), p.Markers[0].Count)
	}
	_, text = get(t, h, of+"figures.pb.gz")
	if pp, err := profile.Parse(strings.NewReader(text)); err != nil || len(pp.Sample) == 0 {
		t.Errorf("pprof does not read it: %v", err)
	}
	answer, text := get(t, h, of+"figures.json")
	if answer.Header.Get("Content-Type") != "application/json" || !strings.Contains(text, `"count":57809`) && !strings.Contains(text, `"count": 57809`) {
		t.Errorf("%v, %.400s", answer.Header, text)
	}
	if d := answer.Header.Get("Content-Disposition"); d != `attachment; filename="0000000000001000-figures.json"` {
		t.Error(d)
	}
}

func TestLogin(t *testing.T) {
	h := pagestest.NewShop(t).Pages()
	w := httptest.NewRecorder()
	h.Login(w, httptest.NewRequest(http.MethodGet, "/login", nil), http.StatusUnauthorized, pages.Login{Next: `/api/1?"><script>`, Problem: "The token has expired: ask for another"})
	text := w.Body.String()
	if w.Code != http.StatusUnauthorized || !strings.Contains(text, `action="/login"`) || !strings.Contains(text, "The token has expired") || strings.Contains(text, "<script>") {
		t.Errorf("%d %s", w.Code, text)
	}
	if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%v", w.Header())
	}
	signed := pages.New(pages.Options{Store: broken{}, Catalogue: catalogue.New(), SignedIn: func(*http.Request) bool { return true }})
	if _, text := get(t, signed, "/"); !strings.Contains(text, `action="/logout"`) {
		t.Error("there is no way to sign out")
	}
}

// Names from elsewhere are shown as text, everywhere.
func TestHostile(t *testing.T) {
	s := pagestest.NewShop(t)
	h := s.Pages()
	all := append([]string{"/search?q=" + url.QueryEscape(`<script>alert(1)</script>`), "/search?q=" + url.QueryEscape(`"><img src=x onerror=alert(1)>`), "/package/example.com/hostile?kind=all", "/package/" + url.PathEscape("example.com/"+pagestest.Hostile[0])}, pagestest.Addresses...)
	for i := range s.Index.Len() {
		all = append(all, fmt.Sprintf("/api/%016x", 0x1000+i))
	}
	for _, address := range all {
		answer, text := get(t, h, address)
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, answer.Status)
		}
		for _, bad := range []string{"<script>", "<img src=x", "\u202e", "\u2066", `href="javascript`} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q in it", address, bad)
			}
		}
	}
}

// Any address gets an answer, never an internal error.
func FuzzAddress(f *testing.F) {
	s := pagestest.NewShop(f)
	h := s.Pages()
	for _, a := range pagestest.Addresses {
		path, query, _ := strings.Cut(a, "?")
		f.Add(path, query)
	}
	f.Add("/api/0000000000001000/figures.json", "from=2026-01-01")
	f.Add("/package/a%2fb", "after=0000000000001000")
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: path, RawQuery: query}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%q?%q: %d", path, query, w.Code)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && bytes.Contains(w.Body.Bytes(), []byte("<script>")) {
			t.Errorf("%q?%q: a script in it", path, query)
		}
	})
}

// What arrives after a page was rendered is on the next one.
func TestNewFigures(t *testing.T) {
	s := pagestest.NewShop(t)
	h := s.Pages()
	get(t, h, "/")
	s.Index.Put(fleet.API{ID: 0x99, Package: "example.com/late", Name: "example.com/late.Comer", Kind: "func", First: pagestest.Now, Changed: pagestest.Now, Count: 1, TotalNS: markgen.Uint128{Hi: 1}})
	for _, address := range []string{"/", "/new"} {
		if _, text := get(t, h, address); !strings.Contains(words(text), "Comer") {
			t.Errorf("%s does not have it", address)
		}
	}
}
