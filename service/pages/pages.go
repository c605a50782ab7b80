package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/store"
)

// A Store is the part of *store.Store that the pages use.
type Store interface {
	API(context.Context, registry.ID) (*fleet.API, error)
	FiguresBy(context.Context, registry.ID, fleet.Filter, ...fleet.Grouping) ([][]fleet.Group, error)
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
	Origins(context.Context, fleet.Filter) ([]fleet.OriginSum, error)
}

// Options configures the pages. Store and Catalogue are required; a zero value of another field has
// the default given in its comment.
type Options struct {
	Store     Store
	Catalogue *catalogue.Index
	Now       func() time.Time                 // the clock; time.Now
	MaxMerged int                              // max APIs of a compared build; 50,000
	Failed    func(r *http.Request, err error) // called for internal errors, unless nil
	SignedIn  func(r *http.Request) bool       // reports whether to show a sign-out button; nil for never
}

// A Pages is the http.Handler of the pages, for GET and HEAD.
type Pages struct {
	Options
	mux   *http.ServeMux
	lists listCache
}

// New returns the pages for a store and its catalogue.
func New(o Options) *Pages {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxMerged <= 0 {
		o.MaxMerged = 50_000
	}
	p := &Pages{Options: o, mux: http.NewServeMux()}
	for _, route := range []struct {
		path   string
		handle func(*http.Request) (*page, error)
	}{
		{"/{$}", p.home},
		{"/search", p.search},
		{"/package/{path...}", p.packagePage},
		{"/api/{id}", p.api},
		{"/compare", p.compare},
		{"/new", p.newSince},
	} {
		p.mux.HandleFunc("GET "+route.path, func(w http.ResponseWriter, r *http.Request) {
			page, err := route.handle(r)
			if err != nil {
				p.refuse(w, r, err)
				return
			}
			p.send(w, r, http.StatusOK, page)
		})
	}
	p.mux.HandleFunc("GET /api/{id}/{file}", p.download)
	p.mux.HandleFunc("GET "+Assets, sendAsset)
	return p
}

// ServeHTTP sends a page, or an error page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		p.Problem(w, r, &fleet.Problem{Status: http.StatusMethodNotAllowed, Title: "Pages are to be read", Detail: "Use GET or HEAD."})
		return
	}
	if _, pattern := p.mux.Handler(r); pattern == "" {
		p.Problem(w, r, notFound("There is no page at this address. Search for what you look for, or begin with the catalogue."))
		return
	}
	p.mux.ServeHTTP(w, r)
}

//go:embed templates
var templateFiles embed.FS

// templates are parsed for the first page: most commands need none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.html"))
})

// A page is the data of a template.
type page struct {
	Title    string
	Template string // file name
	Nav      string // path of the current link in the navigation; "" if none
	Query    string // text in the search field
	Live     bool   // the script shows search results here during typing
	Once     bool   // not cached by the browser
	Content  any

	SignedIn bool
	Style    string
	Script   string
	Icon     string
}

// policy is the content security policy of all pages. connect-src lets the script request search
// results.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// protect sets the headers common to all pages.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// render returns the HTML of a page.
func (p *Pages) render(r *http.Request, page *page) ([]byte, error) {
	page.Style, page.Script, page.Icon = assetPath("page.css"), assetPath("page.js"), assetPath("icon.svg")
	page.SignedIn = p.SignedIn != nil && p.SignedIn(r)
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, page.Template, page); err != nil {
		return nil, fmt.Errorf("making the page %s: %w", page.Template, err)
	}
	return text.Bytes(), nil
}

// send sends a page, or 304 if the browser has it.
func (p *Pages) send(w http.ResponseWriter, r *http.Request, status int, page *page) {
	text, err := p.render(r, page)
	if err != nil {
		p.logFailure(r, err)
		http.Error(w, "the page can't be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	protect(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	if status != http.StatusOK || page.Once {
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
	} else {
		h.Set("Cache-Control", "private, no-cache") // cacheable, but revalidated by its ETag
		h.Set("Vary", "Cookie")
		if notModified(w, r, text) {
			return
		}
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // an error means that the client is gone
	}
}

// notModified sets the ETag of an answer. If the client has this answer it sends 304 and returns
// true.
func notModified(w http.ResponseWriter, r *http.Request, text []byte) bool {
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	for has := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if has = strings.TrimSpace(has); strings.TrimPrefix(has, "W/") == tag || has == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

func (p *Pages) logFailure(r *http.Request, err error) {
	if p.Failed != nil {
		p.Failed(r, err)
	}
}

// refuse sends the error page for err.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var problem *fleet.Problem
	switch {
	case errors.As(err, &problem):
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		return // the client is gone
	case errors.Is(err, store.ErrNotFound):
		problem = notFound("There is no API by this ID. It may be one of another service; search for its name.")
	case errors.Is(err, store.ErrGone), errors.Is(err, context.DeadlineExceeded):
		p.logFailure(r, err)
		problem = &fleet.Problem{Status: http.StatusServiceUnavailable, Title: "The store can't be reached", RetryAfter: 10 * time.Second,
			Detail: "Nothing is lost. Try again in a moment; if it stays like this, who runs the service finds the cause in its log."}
	default:
		p.logFailure(r, err)
		problem = &fleet.Problem{Status: http.StatusInternalServerError, Title: "The server has an error",
			Detail: "This page could not be made. Who runs the service finds the cause in its log."}
	}
	p.Problem(w, r, problem)
}

func notFound(detail string) *fleet.Problem {
	return &fleet.Problem{Status: http.StatusNotFound, Title: "There is no such page", Detail: detail}
}

func badRequest(format string, args ...any) *fleet.Problem {
	return &fleet.Problem{Status: http.StatusBadRequest, Title: "The address can't be understood", Detail: fmt.Sprintf(format, args...)}
}

// Problem sends a page that explains a problem and what to do.
func (p *Pages) Problem(w http.ResponseWriter, r *http.Request, problem *fleet.Problem) {
	if problem.RetryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(problem.RetryAfter.Seconds())))
	}
	p.send(w, r, problem.Status, &page{Title: problem.Title, Template: "problem.html", Content: problem})
}

// A Login is the content of the login page. Its form is sent with POST to /login and has the fields
// token and next.
type Login struct {
	Next    string // URL to go to after login
	Problem string // why the token was refused; "" if none was sent
}

// Login sends the login page. It sets headers, so nothing must be written before.
func (p *Pages) Login(w http.ResponseWriter, r *http.Request, status int, form Login) {
	p.send(w, r, status, &page{Title: "Sign in", Template: "login.html", Content: form, Once: true})
}

// Path returns the URL of an API's page.
func Path(id registry.ID) string { return "/api/" + id.String() }

// packagePath returns the URL of a package's page.
func packagePath(path string) string { return "/package/" + (&url.URL{Path: path}).EscapedPath() }
