package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/units"
)

var cmdToken = &cli.Command{
	Name:  "token",
	Short: "who may send batches to the central service, and who may ask",
	Long: `
usage: markgend token add [-db DB | -server URL] [-scope S,…] [-expires TIME] NAME
       markgend token list [-db DB | -server URL]
       markgend token revoke [-db DB | -server URL] [-figures [-n]] ID…

Token makes, lists and revokes tokens: through a server (markgend) that runs, with a token that has the scope admin,
or in its store, which, if SQLite, no server may have open meanwhile. A token is printed once, when it is made; the
store keeps its SHA-256 only. Changes reach all servers of the store within 2 seconds.

  -server URL    a running server, which changes its own store
  -token-file F  a file with the token for the server (default: $MARKGEN_TOKEN, which is the token)
  -db DB         the store, as for markgend serve (default $MARKGEN_DB, else fleet.db); add makes it if it is not there
  -scope S,…     what the token is for: ingest (sending batches; the default), read (asking, pages and metrics), admin
                 (tokens, backup and all that read is for)
  -expires TIME  when it expires: a duration such as 720h or 90d, or a day such as 2027-01-31 (default: never)
  -figures       revoke the token, and remove from the store what was sent with it. A batch on its way may still have been
                 accepted: repeat the command to remove it, too
  -n             change nothing; print what -figures would remove

examples:
  markgend token add -scope read 'Ann, laptop'
  markgend token add -server https://perf.example.com -token-file admin.token -scope ingest -expires 365d volunteers
  markgend token list
  markgend token revoke 7xq2mbd3
  markgend token revoke -figures -n 7xq2mbd3
  markgend token revoke -figures -server https://perf.example.com -token-file admin.token 7xq2mbd3`,
	Run: runToken,
}

func runToken(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	if len(args) == 0 {
		return env.Wrong("add, list or revoke is expected")
	}
	word, rest := args[0], args[1:]
	if strings.HasPrefix(word, "-") {
		word, rest = "", args
	}
	db := fs.String("db", storeName(env), "")
	at := fs.String("server", "", "")
	tokenFile := fs.String("token-file", "", "")
	scope, expires := new(string), new(string)
	if word == "add" || word == "" {
		fs.StringVar(scope, "scope", server.ScopeIngest, "")
		fs.StringVar(expires, "expires", "", "")
	}
	var o revokeFlags
	if word == "revoke" || word == "" {
		fs.BoolVar(&o.figures, "figures", false, "")
		fs.BoolVar(&o.dry, "n", false, "")
	}
	if code, done := env.Parse(fs, rest); done {
		return code
	}
	var do func(context.Context, tokenKeeper) error
	switch word {
	case "add":
		until, err := parseExpiry(*expires, time.Now())
		if err != nil {
			return env.Wrong("-expires: %v", err)
		}
		if fs.NArg() != 1 {
			return env.Wrong("one name is expected, for whoever is to know later what the token is for, not %d", fs.NArg())
		}
		scopes := strings.Split(*scope, ",")
		if _, _, err := server.NewToken(fs.Arg(0), scopes, time.Now(), until); err != nil {
			return env.Wrong("%v", err)
		}
		do = func(ctx context.Context, k tokenKeeper) error { return addToken(ctx, env, k, fs.Arg(0), scopes, until) }
	case "list":
		if fs.NArg() > 0 {
			return env.Wrong("no arguments are expected, not %q", fs.Arg(0))
		}
		do = func(ctx context.Context, k tokenKeeper) error { return listTokens(ctx, env, k) }
	case "revoke":
		if fs.NArg() == 0 {
			return env.Wrong("the ID of a token is expected; markgend token list shows them")
		}
		if o.dry && !o.figures {
			return env.Wrong("-n says what -figures would take out; give both")
		}
		do = func(ctx context.Context, k tokenKeeper) error { return o.revoke(ctx, env, k, fs.Args()) }
	default:
		return env.Wrong("add, list or revoke is expected, not %q", word)
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	var err error
	if *at != "" {
		var token string
		if token, err = env.Token("", *tokenFile); err == nil {
			env.WarnPlain(*at, token)
			err = do(ctx, keptByServer{&client.Client{Server: *at, Version: cli.Version(), Token: token}})
		}
	} else {
		if word != "add" {
			err = hasStore(env, *db)
		}
		var s *store.Store
		if err == nil {
			s, err = store.Open(ctx, storeURL(env, *db), store.Options{})
		}
		if err == nil {
			err = errors.Join(do(ctx, keptInStore{s}), s.Close())
		}
	}
	if err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// A tokenKeeper manages tokens: a store, or a server.
type tokenKeeper interface {
	tokens(context.Context) ([]client.Token, error)
	add(ctx context.Context, name string, scopes []string, expires time.Time) (client.Token, error)
	revoke(ctx context.Context, id string) error
	removeFigures(ctx context.Context, token string, dry bool) (client.Removed, error)
}

type keptInStore struct{ *store.Store }

func (s keptInStore) tokens(ctx context.Context) (list []client.Token, err error) {
	all, err := s.Tokens(ctx)
	for _, t := range all {
		list = append(list, client.Token{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Created: t.Created, Expires: t.Expires, Revoked: t.Revoked})
	}
	return list, err
}

func (s keptInStore) add(ctx context.Context, name string, scopes []string, expires time.Time) (client.Token, error) {
	text, t, err := server.NewToken(name, scopes, time.Now().UTC().Truncate(time.Second), expires)
	if err != nil {
		return client.Token{}, err
	}
	return client.Token{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Created: t.Created, Expires: t.Expires, Token: text}, s.AddToken(ctx, t)
}

func (s keptInStore) revoke(ctx context.Context, id string) error { return s.RevokeToken(ctx, id) }

func (s keptInStore) removeFigures(ctx context.Context, token string, dry bool) (client.Removed, error) {
	done, err := s.Remove(ctx, store.Removal{Token: token, Dry: dry})
	return client.Removed(done), err
}

type keptByServer struct{ *client.Client }

func (s keptByServer) tokens(ctx context.Context) ([]client.Token, error) { return s.Tokens(ctx) }

func (s keptByServer) add(ctx context.Context, name string, scopes []string, expires time.Time) (client.Token, error) {
	return s.AddToken(ctx, name, scopes, expires)
}

func (s keptByServer) revoke(ctx context.Context, id string) error { return s.RevokeToken(ctx, id) }

func (s keptByServer) removeFigures(ctx context.Context, token string, dry bool) (client.Removed, error) {
	return s.RemoveFigures(ctx, token, dry)
}

// addToken creates a token and prints it.
func addToken(ctx context.Context, env *cli.Env, k tokenKeeper, name string, scopes []string, expires time.Time) error {
	t, err := k.add(ctx, name, scopes, expires)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "%s: token %s for %s is shown this once\n", env.Name(), t.ID, strings.Join(t.Scopes, ", "))
	_, err = fmt.Fprintln(env.Stdout, t.Token)
	return err
}

func listTokens(ctx context.Context, env *cli.Env, k tokenKeeper) error {
	list, err := k.tokens(ctx)
	if err != nil {
		return err
	}
	columns := []report.Column{{Name: "id", Left: true}, {Name: "name", Left: true, Shorten: true}, {Name: "scopes", Left: true}, {Name: "made", Left: true}, {Name: "state", Left: true}}
	now := time.Now()
	for _, t := range list {
		state := "good"
		switch {
		case !t.Revoked.IsZero():
			state = "revoked " + t.Revoked.UTC().Format(time.DateOnly)
		case !t.Expires.IsZero() && t.Expires.Before(now):
			state = "expired " + t.Expires.UTC().Format(time.DateOnly)
		case !t.Expires.IsZero():
			state = "good until " + t.Expires.Add(-time.Second).UTC().Format(time.DateOnly) // a given date is inclusive
		}
		for i, cell := range []string{t.ID, t.Name, strings.Join(t.Scopes, ","), t.Created.UTC().Format(time.DateOnly), state} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	var o report.Options
	o.Width, o.Color = env.Terminal(env.Stdout)
	return report.WriteTable(env.Stdout, columns, o)
}

// revokeFlags are the flags of revoke.
type revokeFlags struct{ figures, dry bool }

// revoke revokes tokens, and with -figures removes what was sent with them.
func (o revokeFlags) revoke(ctx context.Context, env *cli.Env, k tokenKeeper, ids []string) error {
	list, err := k.tokens(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, t := range list {
		known[t.ID] = true
	}
	var errs error
	for _, id := range ids {
		id = strings.TrimPrefix(id, "mg_") // accept a complete token too
		id, _, _ = strings.Cut(id, "_")
		if !known[id] {
			errs = errors.Join(errs, fmt.Errorf("there is no token %s; markgend token list shows them", id))
			continue
		}
		if !o.dry {
			if err := k.revoke(ctx, id); err != nil {
				errs = errors.Join(errs, err)
				continue
			}
		}
		if o.figures {
			errs = errors.Join(errs, o.remove(ctx, env, k, id))
		}
	}
	return errs
}

// remove removes what was sent with a token, and prints how much.
func (o revokeFlags) remove(ctx context.Context, env *cli.Env, k tokenKeeper, id string) error {
	done, err := k.removeFigures(ctx, id, o.dry)
	if err != nil {
		return err
	}
	verb := "removed"
	if o.dry {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(env.Stdout, "%s %s with figures of %s, sent with %s\n", verb, units.Plural(done.Batches, "batch"), units.Plural(done.APIs, "API"), id)
	return err
}

// parseExpiry parses a duration from now, which may be in days, or a date, which is inclusive; ""
// is the zero time.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		end := day.AddDate(0, 0, 1)
		if !end.After(now) { // the end of year 0 would be the zero time
			return time.Time{}, fmt.Errorf("%s is over; give a day to come", text)
		}
		return end, nil
	}
	var days int
	var unit string
	if n, _ := fmt.Sscanf(text, "%d%s", &days, &unit); n == 2 && unit == "d" && days > 0 && days < 100_000 {
		return now.UTC().AddDate(0, 0, days).Truncate(time.Second), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return time.Time{}, fmt.Errorf("%q is no duration such as 720h or 90d, and no day such as 2027-01-31", text)
	}
	return now.UTC().Add(d).Truncate(time.Second), nil
}
