package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"golang.org/x/sync/semaphore"
)

// A Server is the http.Handler of the service. All that lasts is in the store; a Server has limits on
// what is handled at a time, counts for /metrics, and a cache of tokens.
type Server struct {
	Options
	store    Store
	tokens   *tokens
	rates    *rates
	bodies   *budget
	figures  *semaphore.Weighted // of Options.MaxRead bytes
	decoding chan struct{}       // one slot per processor
	merges   mergeQueue
	mux      *http.ServeMux
	handler  http.Handler
	metrics  *metrics
	origins  *http.CrossOriginProtection
	draining atomic.Bool
}

// New returns a server of the store. It does not close the store.
func New(s Store, o Options) (*Server, error) {
	o = o.withDefaults()
	if o.Catalogue == nil {
		return nil, errors.New("a server needs a catalogue")
	}
	server := &Server{
		Options:  o,
		store:    s,
		tokens:   &tokens{read: s.Tokens, now: o.Now},
		rates:    newRates(o),
		bodies:   &budget{left: o.MaxBodies},
		figures:  semaphore.NewWeighted(o.MaxRead),
		decoding: make(chan struct{}, decoders()),
		merges:   mergeQueue{make(chan struct{}, 1), &budget{left: o.MaxAnswers}},
		mux:      http.NewServeMux(),
		metrics:  newMetrics(o.Version, s),
		origins:  http.NewCrossOriginProtection(),
	}
	for _, route := range server.routes() {
		server.mux.Handle(route.method+" "+route.path, server.handle(route))
	}
	pack, err := gzhttp.NewWrapper(gzhttp.MinSize(1400), gzhttp.CompressionLevel(4), gzhttp.ContentTypes([]string{
		"application/json", problemType, ndjsonType, "application/yaml", profileType, "text/html", "text/css", "text/javascript", "text/plain", "image/svg+xml",
	}), gzhttp.SuffixETag(packedETag))
	if err != nil {
		return nil, err
	}
	server.handler = pack(http.HandlerFunc(server.dispatch))
	return server, nil
}

// Drain makes /readyz fail from now on, so that load balancers stop sending requests. Other
// requests are still answered.
func (s *Server) Drain() { s.draining.Store(true) }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	a := &answer{ResponseWriter: w, control: http.NewResponseController(w), limit: s.AnswerTime}
	known := &known{route: "none"}
	r = r.WithContext(context.WithValue(r.Context(), knownKey{}, known))
	defer func() {
		failure := recover()
		if failure != nil && failure != http.ErrAbortHandler {
			s.Log.Error("a request made the server panic", "method", r.Method, "route", known.route, "panic", fmt.Sprint(failure), "stack", string(debug.Stack()))
			if a.status == 0 {
				broken.problem("the log of the server has more").Write(a)
				failure = nil
			} else {
				failure = http.ErrAbortHandler
			}
		}
		if a.status == 0 {
			a.status = http.StatusOK
		}
		took := time.Since(begun)
		s.metrics.answered(known.route, r.Method, a.status, took)
		s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", a.status),
			slog.Int64("bytes", a.bytes), slog.Duration("took", took), slog.String("token", known.token))
		if failure != nil {
			panic(failure)
		}
	}()
	if r.ContentLength != 0 { // the body must arrive in time, even if it is not read
		_ = a.control.SetReadDeadline(time.Now().Add(s.BodyTime))
	}
	h := a.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if r.TLS != nil { // browsers then use TLS only
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	s.handler.ServeHTTP(a, r)
}

// dispatch routes a request. Without a route, it is a page or an error.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	h, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	var refusal refusal
	h.ServeHTTP(&refusal, r)
	page := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case refusal.status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", refusal.Header().Get("Allow"))
		s.refuse(w, r, badMethod.problem("%s takes %s, not %.20q", r.URL.Path, refusal.Header().Get("Allow"), r.Method))
	case s.Pages == nil || ofAPI(r.URL.Path):
		s.refuse(w, r, notFound.problem("no path is like that; /openapi.yaml describes those there are"))
	case !page:
		w.Header().Set("Allow", "GET, HEAD")
		s.refuse(w, r, badMethod.problem("pages are to be read, with GET or HEAD"))
	default:
		knownOf(r).route = "pages"
		s.page(w, r)
	}
}

// A refusal records the mux's answer to a request without a route.
type refusal struct {
	header http.Header
	status int
}

func (f *refusal) Header() http.Header {
	if f.header == nil {
		f.header = http.Header{}
	}
	return f.header
}
func (f *refusal) WriteHeader(status int)         { f.status = status }
func (f *refusal) Write(text []byte) (int, error) { return len(text), nil }

// handle returns the handler of a route, which first checks access.
func (s *Server) handle(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		knownOf(r).route = route.path
		if err := s.allowed(r, route.scope); err != nil {
			s.refuse(w, r, err)
			return
		}
		wrote := &wrote{ResponseWriter: w}
		err := route.handle(wrote, r)
		switch {
		case err == nil:
		case wrote.any: // too late for a problem: abort, so that the client sees an incomplete answer
			s.Log.Warn("an answer was cut off", "route", route.path, "error", err)
			panic(http.ErrAbortHandler)
		default:
			s.refuse(w, r, err)
		}
	})
}

// refuse sends a problem.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	word := p.Type[len(problemPath):]
	s.metrics.refused(word)
	level := slog.LevelDebug
	if p.Status >= 500 && word != busy.word && word != draining.word && r.Context().Err() == nil {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(r.Context(), level, "refused", slog.String("problem", word), slog.String("route", knownOf(r).route), slog.String("error", err.Error()))
	switch p.Status {
	case http.StatusUnauthorized:
		challenge := `Bearer realm="markgen"`
		if word != tokenMissing.word {
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
	case http.StatusRequestTimeout:
		w.Header().Set("Connection", "close")
	}
	for _, h := range []string{"ETag", "Last-Modified", "Content-Encoding", "Content-Disposition"} {
		w.Header().Del(h)
	}
	p.Write(w)
}

const problemType = "application/problem+json"

// A known is filled in while a request is handled, for the log and the metrics.
type known struct {
	route string // pattern of the path
	token string // ID of the request's token
}

type knownKey struct{}

func knownOf(r *http.Request) *known {
	k, ok := r.Context().Value(knownKey{}).(*known)
	if !ok {
		k = new(known)
	}
	return k
}

// An answer records status and size of a response, and disconnects slow readers: each write has a
// deadline.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	status  int
	bytes   int64
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(text []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	// An error means that the connection has no deadlines, as in tests.
	_ = a.control.SetWriteDeadline(time.Now().Add(a.limit))
	n, err := a.ResponseWriter.Write(text)
	a.bytes += int64(n)
	return n, err
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// A wrote records whether anything was written.
type wrote struct {
	http.ResponseWriter
	any bool
}

func (w *wrote) WriteHeader(status int) {
	w.any = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *wrote) Write(text []byte) (int, error) {
	w.any = true
	return w.ResponseWriter.Write(text)
}

func (w *wrote) Unwrap() http.ResponseWriter { return w.ResponseWriter }
