package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
)

// served are the formats that -http serves. A format that report.Write writes needs one line here,
// with its content type; a format with its own request handling has its function instead of whole.
var served = map[string]service{
	"text": {"/", whole("text/plain; charset=utf-8")},
	"json": {"/", whole("application/json")},
	"html": {"/", whole("text/html; charset=utf-8")},
	"prom": {"/metrics", metrics},
}

// A service describes how one format is served.
type service struct {
	path    string // path on the server, part of the printed URL
	handler func(read reader, o report.Options) http.Handler
}

// A reader reads the data of the report again, and sets the profile to compare with in the options.
// Handlers call it for each request, never concurrently. The error is non-nil if nothing could be
// read; data that could not be read are in the profile's warnings.
type reader func(o *report.Options) (*profile.Profile, error)

// whole serves the output of report.Write.
func whole(contentType string) func(reader, report.Options) http.Handler {
	return func(read reader, o report.Options) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			o := o
			var body bytes.Buffer
			p, err := read(&o)
			if err == nil {
				err = report.Write(&body, p, o)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Cache-Control", "no-store")
			w.Write(body.Bytes()) // an error means that the client is gone
		})
	}
}

// checkServed returns an error if -http does not serve the format, or if the address is invalid.
func checkServed(format, addr string) error {
	if _, ok := served[format]; !ok {
		return fmt.Errorf("-http does not serve the format %q; it serves %s", format, strings.Join(slices.Sorted(maps.Keys(served)), ", "))
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("-http: %w; give HOST:PORT, or :PORT for this machine alone", err)
	}
	return nil
}

// readAnew returns a reader of the named data.
func readAnew(env *cli.Env, data dataArgs) reader {
	var one sync.Mutex
	return func(o *report.Options) (*profile.Profile, error) {
		one.Lock()
		defer one.Unlock()
		// Read errors go to the client, not to the terminal at each request.
		var told bytes.Buffer
		own := *env
		own.Stderr = &told
		p, old, _ := data.read(&own)
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(told.String(), "markgen report: ", "")), "\n")
		if p == nil {
			return nil, errors.New(strings.Join(lines, "\n"))
		}
		if told.Len() > 0 {
			p.Warnings, p.Damaged = append(p.Warnings, lines...), true
		}
		o.Against, o.Compared = old, data.verdicts(env)
		return p, nil
	}
}

// servedAtOnce is the maximum number of concurrent requests; others wait. Each may hold a page in
// memory.
const servedAtOnce = 64

// serveReport serves the report until ctx is done or the process gets a signal.
func serveReport(ctx context.Context, env *cli.Env, addr string, o report.Options, read reader) int {
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	l, err := listen(addr)
	if err != nil {
		return env.Fail(err)
	}
	if _, err := read(&report.Options{}); err != nil { // reports wrong file names at once
		l.Close()
		return env.Fail(err)
	}
	page := served[o.Format]
	mux := http.NewServeMux()
	pattern := "GET " + page.path
	if strings.HasSuffix(pattern, "/") {
		pattern += "{$}"
	}
	mux.Handle(pattern, page.handler(read, o))
	server := &http.Server{
		Handler:           ownNames(l.Addr(), atOnce(servedAtOnce, mux)),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // for clients that do not read the response
		IdleTimeout:       2 * time.Minute,
	}
	fmt.Fprintf(env.Stdout, "http://%s%s\n", l.Addr(), page.path)
	fmt.Fprintf(env.Stderr, "markgen report: serving %s, which reads the data again at each request, until interrupted\n", o.Format)

	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
		return env.Fail(err)
	case <-ctx.Done():
	}
	stop() // a second interrupt does not wait
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return env.Fail(fmt.Errorf("a request was still being answered when the server stopped: %w", err))
	}
	return cli.OK
}

// listen listens at the address, host:port. Without a host it is the loopback address, which other
// machines cannot reach; port 0 selects a free port.
func listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("-http: %w; :0 takes a port that is free", err)
	}
	return l, nil
}

// ownNames rejects requests with a host name other than an address or localhost, if the server
// listens on the loopback interface only. Otherwise another site could make its own name resolve to
// this machine and read the report in the user's browser.
func ownNames(at net.Addr, next http.Handler) http.Handler {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			http.Error(w, "ask for http://"+at.String()+"/; this server answers to its address and to localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// atOnce limits next to n concurrent requests; others wait, as long as their clients do.
func atOnce(n int, next http.Handler) http.Handler {
	places := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done(): // the client is gone
		}
	})
}
