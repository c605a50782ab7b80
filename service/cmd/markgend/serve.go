package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

var cmdServe = &cli.Command{
	Name:  "serve",
	Short: "take batches of many machines, and answer what an API costs; the command when none is named",
	Long: `
usage: markgend [serve] [flags]

Serve takes the batches that markgen push sends, adds them up by marker, origin and day, and answers
queries: of markgen query, of programs over HTTP (see GET /openapi.yaml), and of browsers. A
batch is answered when it is safe on disk, and counts once however often it comes. It runs until SIGTERM,
SIGINT or SIGHUP: then /readyz fails, requests in progress are answered, and figures in memory are written; a second
signal ends it at once, and loses nothing that was acknowledged. Several servers may share a PostgreSQL database.

  -db DB          the store: an SQLite file, created if needed (mode 0600, its directory 0700),
                  or postgres://USER:PASSWORD@HOST/NAME
                  (default $MARKGEN_DB, else fleet.db)
  -addr ADDR      HOST:PORT to listen on; without HOST this machine alone, port 0 takes one that is free; the URL
                  is printed (default 127.0.0.1:7070)
  -tls-cert FILE  certificate chain, its own first; reread when it changes
  -tls-key FILE   its key, in a file that others can't read
  -insecure       listen on other addresses than this machine's own without TLS: tokens can be read on the way,
                  unless a proxy in front speaks TLS
  -public-read    reading, pages and metrics included, takes no token
  -public-ingest  sending batches takes no token: anybody who can connect can add figures
  -host NAME,…    host names, besides addresses, that a loopback server accepts without a token
  -max-batch SIZE        of a batch, unpacked (default 1M)
  -max-apis N            APIs in the store; batches with others are refused then (default 2000000)
  -max-origins N         builds, Go versions, systems and processors in the store, once for each token that they
                         come with (default 100000)
  -max-paths N           call paths in the store; scopes on others count at other (default 200000)
  -max-connections N     connections at once; a further one replaces an idle one, or waits (default 1000)
  -rate N         markers a second that each token may send, or each address without one; a request counts as N/1000, a
                  build or kind of machine that is new from it as N/5; 0: any (default 100000)
  -memory SIZE    that the process is to stay below (default 512M)
  -grace TIME     that requests may take to end when the server is told to (default 30s)
  -log LEVEL      what is logged to stderr: debug (a line for each request), info (default), warn or error

Figures can be exported at intervals (Prometheus scrapes /v1/prometheus instead):
  -otlp URL               as metrics to a receiver of OpenTelemetry, such as http://localhost:4318; exponential
                          histograms of scale 0. Headers that authorise it are in $OTEL_EXPORTER_OTLP_HEADERS
  -pprof URL              as profiles in the format of pprof, which are posted to URL; each has what came since
                          the one before. Headers are in $MARKGEN_PPROF_HEADERS, NAME=VALUE with commas between
  -export-every TIME      how often (default 1m)
  -export-package GLOB    only of these packages (default all)
  -export-kind KIND       only markers of this kind: func, loop, branch, block, region or point; all for any
                          (default func)
  -export-by WORD         split figures by build, go, goos, goarch or cpu
  -export-limit N         maximum number of markers, of each build if split by build (default 10000)

examples:
  markgend
  markgend -addr :7070 -db postgres://markgen@db.example.com/fleet
  markgend -addr 0.0.0.0:443 -tls-cert cert.pem -tls-key key.pem -public-read
  markgend -otlp http://localhost:4318 -export-package 'example.com/shop/*' -export-by build`,
	Run: runServe,
}

// serveFlags are the flags of serve.
type serveFlags struct {
	db, addr, cert, key, hosts, level  string
	insecure, publicRead, publicIngest bool
	maxBatch, memory                   cli.Size
	apis, origins, paths, connections  int
	rate                               float64
	grace                              time.Duration
	export                             exportFlags
}

func runServe(ctx context.Context, env *cli.Env, args []string) int {
	o := serveFlags{maxBatch: 1 << 20, memory: 512 << 20}
	fs := env.Flags()
	fs.StringVar(&o.db, "db", storeName(env), "")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:7070", "")
	fs.StringVar(&o.cert, "tls-cert", "", "")
	fs.StringVar(&o.key, "tls-key", "", "")
	fs.BoolVar(&o.insecure, "insecure", false, "")
	fs.BoolVar(&o.publicRead, "public-read", false, "")
	fs.BoolVar(&o.publicIngest, "public-ingest", false, "")
	fs.StringVar(&o.hosts, "host", "", "")
	fs.Var(&o.maxBatch, "max-batch", "")
	fs.IntVar(&o.apis, "max-apis", 2_000_000, "")
	fs.IntVar(&o.paths, "max-paths", 200_000, "")
	fs.IntVar(&o.origins, "max-origins", 100_000, "")
	fs.IntVar(&o.connections, "max-connections", 1000, "")
	fs.Float64Var(&o.rate, "rate", 100_000, "")
	fs.Var(&o.memory, "memory", "")
	fs.DurationVar(&o.grace, "grace", 30*time.Second, "")
	fs.StringVar(&o.level, "log", "info", "")
	o.export.define(fs)
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if fs.NArg() > 0 {
		return env.Wrong("no arguments are expected, not %q", fs.Arg(0))
	}
	if err := errors.Join(o.check(), o.export.check()); err != nil {
		return env.Wrong("%v", err)
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	if err := o.serve(ctx, env); err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// check returns an error for flags that are invalid or contradict each other.
func (o *serveFlags) check() error {
	_, _, err := net.SplitHostPort(o.addr)
	switch {
	case (o.cert == "") != (o.key == ""):
		return errors.New("-tls-cert and -tls-key go together")
	case err != nil:
		return fmt.Errorf("-addr: %w; give HOST:PORT, or :PORT for this machine alone", err)
	case o.apis <= 0 || o.origins <= 0 || o.paths <= 0 || o.connections <= 0 || o.maxBatch < 64<<10 || o.memory < 64<<20:
		return errors.New("-max-apis, -max-origins, -max-paths and -max-connections are 1 at least, -max-batch 64K and -memory 64M")
	case o.rate < 0 || o.grace < 0:
		return errors.New("-rate and -grace can't be negative")
	}
	if err := new(slog.LevelVar).UnmarshalText([]byte(o.level)); err != nil {
		return fmt.Errorf("-log is %q; give debug, info, warn or error", o.level)
	}
	return nil
}

// serve serves the store until the context ends.
func (o *serveFlags) serve(ctx context.Context, env *cli.Env) error {
	// A quarter is for the store, some more for batches in progress, the last tenth for memory
	// outside Go's heap.
	debug.SetMemoryLimit(int64(o.memory) / 10 * 9)
	level := new(slog.LevelVar)
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: level}))
	config, err := o.tls(env, log)
	if err != nil {
		return err
	}
	l, err := o.listen(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	limits := server.Limits{Connections: o.connections, Grace: max(o.grace, time.Millisecond), TLS: config}
	options := store.Options{MaxAPIs: o.apis, MaxOrigins: o.origins, MaxNodes: o.paths, Memory: int(o.memory / 4)}
	if err := withStore(ctx, env, o.db, options, func(s *store.Store) error { return o.answer(ctx, env, s, l, limits, log) }); err != nil {
		return err
	}
	log.Info("ended; what waits is written")
	return nil
}

// answer serves requests from the listener until the context ends.
func (o *serveFlags) answer(ctx context.Context, env *cli.Env, s *store.Store, l net.Listener, limits server.Limits, log *slog.Logger) error {
	index := catalogue.New()
	follow, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go index.Follow(follow, s, catalogue.Options{Failed: func(err error) { log.Warn("the store does not say what has changed", "error", err) }})
	page := pages.New(pages.Options{Store: s, Catalogue: index, SignedIn: server.SignedIn, Failed: func(r *http.Request, err error) {
		log.Warn("a page could not be made", "path", r.URL.Path, "error", err)
	}})
	srv, err := server.New(s, server.Options{
		Catalogue: index, Pages: page, Assets: pages.Assets, MergePage: pages.Merges, PageProblem: page.Problem,
		Login: func(w http.ResponseWriter, r *http.Request, status int, form server.Login) {
			page.Login(w, r, status, pages.Login(form))
		},
		PublicRead: o.publicRead, PublicIngest: o.publicIngest, Hosts: strings.FieldsFunc(o.hosts, func(r rune) bool { return r == ',' }),
		Local: isLocal(l.Addr()), MaxBatch: int64(o.maxBatch), Rate: cmp.Or(o.rate, -1), Version: cli.Version(), Log: log,
		MaxBodies: int64(o.memory) / 16, MaxRead: int64(o.memory) / 8, MaxAnswers: int64(o.memory) / 16,
	})
	if err != nil {
		return err
	}
	scheme := "http"
	if limits.TLS != nil {
		scheme = "https"
	}
	if err := o.export.start(follow, env, s, log); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s://%s/\n", scheme, l.Addr())
	log.Info("serving", "address", l.Addr().String(), "tls", limits.TLS != nil, "public-read", o.publicRead, "public-ingest", o.publicIngest, "version", cli.Version())
	return server.Serve(ctx, l, srv, limits)
}

// listen opens the address. An address that others can reach needs TLS, or -insecure.
func (o *serveFlags) listen(ctx context.Context) (net.Listener, error) {
	host, port, err := net.SplitHostPort(o.addr)
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("-addr: %w; port 0 takes one that is free", err)
	}
	if o.cert == "" && !o.insecure && !isLocal(l.Addr()) {
		return nil, errors.Join(fmt.Errorf("-addr: others could connect to %s, and tokens could be read on the way: give -tls-cert and -tls-key, or -insecure if a proxy in front speaks TLS", l.Addr()), l.Close())
	}
	return l, nil
}

// isLocal reports whether only this machine can connect to the address.
func isLocal(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// tls returns the configuration for the given certificate, or nil if there is none.
func (o *serveFlags) tls(env *cli.Env, log *slog.Logger) (*tls.Config, error) {
	if o.cert == "" {
		return nil, nil
	}
	if info, err := os.Stat(env.Path(o.key)); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf("-tls-key: everybody can read or write %s (%04o); run chmod 600 on it", o.key, info.Mode().Perm())
	}
	c := &server.Certificate{CertFile: env.Path(o.cert), KeyFile: env.Path(o.key), Failed: func(err error) {
		log.Error("the certificate has changed and can't be used; the one before is", "error", err)
	}}
	config, err := c.TLS()
	if err != nil {
		return nil, fmt.Errorf("-tls-cert: %w", err)
	}
	return config, nil
}
