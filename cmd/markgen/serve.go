package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	Short: "the central service: takes batches of many machines, and answers what an API costs",
	Long: `
usage: markgen serve [flags]
       markgen serve [-db DB] -init | -backup FILE | -restore FILE

Serve takes the batches that markgen push sends, adds them up by marker, origin and day, and answers whoever
asks: markgen query, other programs over HTTP (GET /openapi.yaml describes that), and people with a browser. A
batch is answered when it is safe on disk, and counts once however often it comes. It runs until SIGTERM or
SIGINT: then /readyz fails, requests that have begun are answered, and what waits is written; a second signal ends
it at once, and loses nothing that was answered. Several may share a PostgreSQL database; none of them leads.

  -db DB          the store: a file of SQLite, which is made if it is not there, and which its owner alone may read
                  (0600, in a directory that is made with 0700), or postgres://USER:PASSWORD@HOST/NAME
                  (default $MARKGEN_DB, else fleet.db)
  -init           make the store and its first token, with the scope admin, and end
  -token-file F   with -init: the file that the token is written to, which its owner alone may read; it must not be
                  there, or be empty (default admin.token)
  -addr ADDR      HOST:PORT to listen on; without HOST this machine alone, port 0 takes one that is free; the URL
                  is printed (default 127.0.0.1:7070)
  -tls-cert FILE  certificate, with those between it and the root behind it; read again when it has changed
  -tls-key FILE   its key, which not everybody may read
  -insecure       listen on other addresses than this machine's own without TLS: tokens can be read on the way,
                  unless a proxy in front speaks TLS
  -public-read    reading, pages and metrics included, takes no token
  -public-ingest  sending batches takes no token: anybody who can connect can add figures
  -host NAME,…    names besides its addresses that a server for this machine alone answers to without a token
  -max-batch SIZE        of a batch, unpacked (default 1M)
  -max-apis N            APIs in the store; batches with others are refused then (default 2000000)
  -max-origins N         builds, Go versions, systems and processors in the store, for each token (default 100000)
  -max-connections N     open at once; others wait (default 1000)
  -rate N         markers a second that each token may send, or each address without one; a request counts as N/1000, a
                  build or kind of machine that is new from it as N/5; 0: any (default 100000)
  -memory SIZE    that the process is to stay below (default 512M)
  -grace TIME     that requests may take to end when the server is told to (default 30s)
  -log LEVEL      what is logged to stderr: debug (a line for each request), info (default), warn or error
  -backup FILE    write a copy of the store to FILE (0600), and end; of an SQLite store that a server uses, /v1/backup of the
                  server gives one
  -restore FILE   fill an empty store from such a copy, of either database, and end

What is kept can be passed on to others, once every while (Prometheus asks for itself, at /v1/prometheus):
  -otlp URL               as metrics to a receiver of OpenTelemetry, such as http://localhost:4318; exponential
                          histograms of scale 0. Headers that authorise it are in $OTEL_EXPORTER_OTLP_HEADERS
  -pprof URL              as profiles in the format of pprof, which are posted to URL; each has what came since
                          the one before. Headers are in $MARKGEN_PPROF_HEADERS, NAME=VALUE with commas between
  -export-every TIME      how often (default 1m)
  -export-package GLOB    only of these packages (default all)
  -export-kind KIND       only markers of this kind: func, loop, branch, block, region or point; all for any
                          (default func)
  -export-by WORD         tell figures apart by build, go, goos, goarch or cpu
  -export-limit N         markers at most, or of each build if they are told apart (default 10000)

examples:
  markgen serve -init
  markgen serve
  markgen serve -addr :7070 -db postgres://markgen@db.example.com/fleet
  markgen serve -addr 0.0.0.0:443 -tls-cert cert.pem -tls-key key.pem -public-read
  markgen serve -otlp http://localhost:4318 -export-package 'example.com/shop/*' -export-by build
  markgen serve -db fleet.db -backup fleet.backup`,
	Run: runServe,
}

// serveFlags are the flags of serve.
type serveFlags struct {
	db, addr, cert, key, hosts, level, backup, restore, tokenFile string
	init, insecure, publicRead, publicIngest                      bool
	maxBatch, memory                                              cli.Size
	apis, origins, connections                                    int
	rate                                                          float64
	grace                                                         time.Duration
	export                                                        exportFlags
}

func runServe(ctx context.Context, env *cli.Env, args []string) int {
	o := serveFlags{maxBatch: 1 << 20, memory: 512 << 20}
	fs := env.Flags()
	fs.StringVar(&o.db, "db", storeName(env), "")
	fs.BoolVar(&o.init, "init", false, "")
	fs.StringVar(&o.tokenFile, "token-file", "", "")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:7070", "")
	fs.StringVar(&o.cert, "tls-cert", "", "")
	fs.StringVar(&o.key, "tls-key", "", "")
	fs.BoolVar(&o.insecure, "insecure", false, "")
	fs.BoolVar(&o.publicRead, "public-read", false, "")
	fs.BoolVar(&o.publicIngest, "public-ingest", false, "")
	fs.StringVar(&o.hosts, "host", "", "")
	fs.Var(&o.maxBatch, "max-batch", "")
	fs.IntVar(&o.apis, "max-apis", 2_000_000, "")
	fs.IntVar(&o.origins, "max-origins", 100_000, "")
	fs.IntVar(&o.connections, "max-connections", 1000, "")
	fs.Float64Var(&o.rate, "rate", 100_000, "")
	fs.Var(&o.memory, "memory", "")
	fs.DurationVar(&o.grace, "grace", 30*time.Second, "")
	fs.StringVar(&o.level, "log", "info", "")
	fs.StringVar(&o.backup, "backup", "", "")
	fs.StringVar(&o.restore, "restore", "", "")
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
	var err error
	switch {
	case o.init:
		err = o.withStore(ctx, env, func(s *store.Store) error { return firstToken(ctx, env, s, cmp.Or(o.tokenFile, "admin.token")) })
	case o.backup != "":
		if err = hasStore(env, o.db); err == nil {
			err = o.withStore(ctx, env, func(s *store.Store) error {
				return backUp(ctx, env, s, o.backup)
			})
		}
	case o.restore != "":
		err = o.refill(ctx, env)
	default:
		err = o.serve(ctx, env)
	}
	if err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// check returns an error for flags that don't go together.
func (o *serveFlags) check() error {
	jobs := 0
	for _, is := range []bool{o.init, o.backup != "", o.restore != ""} {
		if is {
			jobs++
		}
	}
	_, _, err := net.SplitHostPort(o.addr)
	switch {
	case jobs > 1:
		return errors.New("-init, -backup and -restore are one thing each")
	case o.tokenFile != "" && !o.init:
		return errors.New("-token-file is for -init")
	case (o.cert == "") != (o.key == ""):
		return errors.New("-tls-cert and -tls-key go together")
	case err != nil:
		return fmt.Errorf("-addr: %w; give HOST:PORT, or :PORT for this machine alone", err)
	case o.apis <= 0 || o.origins <= 0 || o.connections <= 0 || o.maxBatch < 64<<10 || o.memory < 64<<20:
		return errors.New("-max-apis, -max-origins and -max-connections are 1 at least, -max-batch 64K and -memory 64M")
	case o.rate < 0 || o.grace < 0:
		return errors.New("-rate and -grace can't be negative")
	}
	if err := new(slog.LevelVar).UnmarshalText([]byte(o.level)); err != nil {
		return fmt.Errorf("-log is %q; give debug, info, warn or error", o.level)
	}
	return nil
}

// withStore opens the store, has f use it, and closes it.
func (o *serveFlags) withStore(ctx context.Context, env *cli.Env, f func(*store.Store) error) error {
	s, err := store.Open(ctx, storeURL(env, o.db), store.Options{MaxAPIs: o.apis, MaxOrigins: o.origins, Memory: int(o.memory / 4)})
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// serve serves the store until the context ends.
func (o *serveFlags) serve(ctx context.Context, env *cli.Env) error {
	// The store has a quarter (withStore), batches under way some more; what is not Go's heap has the last tenth.
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
	if err := o.withStore(ctx, env, func(s *store.Store) error { return o.answer(ctx, env, s, l, limits, log) }); err != nil {
		return err
	}
	log.Info("ended; what waits is written")
	return nil
}

// answer answers what comes through the listener.
func (o *serveFlags) answer(ctx context.Context, env *cli.Env, s *store.Store, l net.Listener, limits server.Limits, log *slog.Logger) error {
	index := catalogue.New()
	follow, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go index.Follow(follow, s, catalogue.Options{Failed: func(err error) { log.Warn("the store does not say what has changed", "error", err) }})
	page := pages.New(pages.Options{Store: s, Catalogue: index, SignedIn: server.SignedIn, Failed: func(r *http.Request, err error) {
		log.Warn("a page could not be made", "path", r.URL.Path, "error", err)
	}})
	srv, err := server.New(s, server.Options{
		Catalogue: index, Pages: page, Assets: pages.Assets, WidePage: pages.Wide, PageProblem: page.Problem,
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

// listen opens the address. One that others can reach takes TLS, or -insecure.
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

// isLocal tells whether only this machine can connect to the address.
func isLocal(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// tls is the configuration for the certificate that is given, nil if none is.
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

// firstToken makes a token for who is to make the others, if there is none yet, and writes it to a file.
func firstToken(ctx context.Context, env *cli.Env, s *store.Store, file string) (err error) {
	list, err := s.Tokens(ctx)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		return fmt.Errorf("the store has %d tokens already; markgen token list shows them, markgen token add makes another", len(list))
	}
	text, t, err := server.NewToken("admin", []string{server.ScopeAdmin}, time.Now().UTC().Truncate(time.Second), time.Time{})
	if err != nil {
		return err
	}
	// It is in the file before it is good: what is lost on the way between is worth nothing.
	f, err := tokenFile(env.Path(file))
	if err != nil {
		return fmt.Errorf("-token-file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := fmt.Fprintln(f, text); err != nil {
		return err
	}
	_ = f.Sync() // an error is that it is no file of a disk
	if err := s.AddToken(ctx, t); err != nil {
		return errors.Join(err, f.Truncate(0))
	}
	fmt.Fprintf(env.Stderr, "markgen %s: token %s for admin is in %s, and nowhere else\n", env.Command(), t.ID, file)
	return nil
}

// tokenFile opens a file for a token. One that is there has to be empty, or no regular file.
func tokenFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if f, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
	case info.Size() > 0:
		err = fmt.Errorf("%s is there already; move it away, or name another file", name)
	default:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// backUp writes a copy of the store to a file that its owner alone may read. One that is there, and
// that others may read, becomes such a file.
func backUp(ctx context.Context, e *cli.Env, s *store.Store, name string) error {
	return privately(func() error {
		if info, err := os.Stat(e.Path(name)); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(e.Path(name), 0o600); err != nil {
				return err
			}
		}
		return e.Stream(ctx, name, func(w io.Writer) error { return s.Backup(ctx, w) })
	})
}

// refill fills an empty store from a backup. Without one there is no store afterwards, either.
func (o *serveFlags) refill(ctx context.Context, env *cli.Env) error {
	f, err := os.Open(env.Path(o.restore))
	if err != nil {
		return fmt.Errorf("-restore: %w; give a file that -backup wrote", err)
	}
	defer f.Close()
	return o.withStore(ctx, env, func(s *store.Store) error { return s.Restore(ctx, f) })
}

// storeName is the store that a command uses if none is given.
func storeName(e *cli.Env) string { return cmp.Or(e.Getenv("MARKGEN_DB"), "fleet.db") }

// hasStore returns an error if there is no such file of SQLite. Opening it would make one, and an empty one answers as if
// it were the one that was meant.
func hasStore(e *cli.Env, db string) error {
	if strings.Contains(db, "://") {
		return nil
	}
	_, err := os.Stat(e.Path(db))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no store %s; name one that there is with -db or MARKGEN_DB", e.Path(db))
	}
	return err
}

// storeURL is a store as it is given: a URL, or a file's name, which is made absolute.
func storeURL(e *cli.Env, db string) string {
	if strings.Contains(db, "://") {
		return db
	}
	return e.Path(db)
}
