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

// A Store is what the pages ask of a store: *store.Store has it.
type Store interface {
	API(context.Context, registry.ID) (*fleet.API, error)
	FiguresBy(context.Context, registry.ID, fleet.Filter, ...fleet.By) ([][]fleet.Group, error)
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
	Origins(context.Context, fleet.Filter) ([]fleet.OriginSum, error)
}

// Options of the pages. Store and Catalogue have to be given; zero values of the others have the defaults that are
// given.
type Options struct {
	Store     Store
	Catalogue *catalogue.Index
	Now       func() time.Time                 // the clock; time.Now
	MaxMerged int                              // APIs of a build that are compared at most; 50,000
	Failed    func(r *http.Request, err error) // is told of errors that are the server's; nil: nobody is
	SignedIn  func(r *http.Request) bool       // whether to offer to sign out; nil: never
}

// Pages are the pages of a store. It is an http.Handler for GET and HEAD.
type Pages struct {
	Options
	mux   *http.ServeMux
	lists kept
}

// New returns the pages of a store and its catalogue.
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
		{"/new", p.news},
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

// ServeHTTP answers with a page, or with one that says why there is none.
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

// templates are read when the first page is made: most commands make none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.html"))
})

// A page is what a template makes one of.
type page struct {
	Title    string
	Template string // that of main
	Nav      string // path of the link in the navigation that leads here; "" none
	Query    string // in the field of the search
	Live     bool   // the answers of a search are shown here while it is typed
	Once     bool   // is not kept by the browser
	Content  any

	SignedIn bool
	Style    string
	Script   string
	Icon     string
}

// policy is the content security policy of all pages. The script asks this server for answers, so connect-src is there.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// protect sets the headers that all pages have.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// render makes the text of a page.
func (p *Pages) render(r *http.Request, page *page) ([]byte, error) {
	page.Style, page.Script, page.Icon = assetPath("page.css"), assetPath("page.js"), assetPath("icon.svg")
	page.SignedIn = p.SignedIn != nil && p.SignedIn(r)
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, page.Template, page); err != nil {
		return nil, fmt.Errorf("making the page %s: %w", page.Template, err)
	}
	return text.Bytes(), nil
}

// send sends a page, or that it is the one which the browser has.
func (p *Pages) send(w http.ResponseWriter, r *http.Request, status int, page *page) {
	text, err := p.render(r, page)
	if err != nil {
		p.failed(r, err)
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
		h.Set("Cache-Control", "private, no-cache") // it may be kept, and is asked for again by its tag
		h.Set("Vary", "Cookie")
		if known(w, r, text) {
			return
		}
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // an error is the client's, who has gone
	}
}

// known sets the tag of an answer, and tells whether the client has it already; then it is told so.
func known(w http.ResponseWriter, r *http.Request, text []byte) bool {
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

func (p *Pages) failed(r *http.Request, err error) {
	if p.Failed != nil {
		p.Failed(r, err)
	}
}

// refuse answers with the page for an error.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var problem *fleet.Problem
	switch {
	case errors.As(err, &problem):
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		return // nobody is there
	case errors.Is(err, store.ErrNotFound):
		problem = notFound("There is no API by this ID. It may be one of another service; search for its name.")
	case errors.Is(err, store.ErrGone), errors.Is(err, context.DeadlineExceeded):
		p.failed(r, err)
		problem = &fleet.Problem{Status: http.StatusServiceUnavailable, Title: "The store can't be reached", RetryAfter: 10 * time.Second,
			Detail: "Nothing is lost. Try again in a moment; if it stays like this, who runs the service finds the cause in its log."}
	default:
		p.failed(r, err)
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

// Problem answers with a page that says what is wrong and what to do, for people.
func (p *Pages) Problem(w http.ResponseWriter, r *http.Request, problem *fleet.Problem) {
	if problem.RetryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(problem.RetryAfter.Seconds())))
	}
	p.send(w, r, problem.Status, &page{Title: problem.Title, Template: "problem.html", Content: problem})
}

// A Login is what the page with the form for a token shows. The form is sent with POST to /login, and has the fields
// token and next.
type Login struct {
	Next    string // the address to go on to
	Problem string // why the token that was given is not taken; "": none was given
}

// Login answers with the form for a token. It sets headers, and so has to come before the status is written.
func (p *Pages) Login(w http.ResponseWriter, r *http.Request, status int, form Login) {
	p.send(w, r, status, &page{Title: "Sign in", Template: "login.html", Content: form, Once: true})
}

// Path is the address of an API's page.
func Path(id registry.ID) string { return "/api/" + id.String() }

// packagePath is that of a package.
func packagePath(path string) string { return "/package/" + (&url.URL{Path: path}).EscapedPath() }
