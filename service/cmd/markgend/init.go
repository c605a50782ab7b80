package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

var cmdInit = &cli.Command{
	Name:  "init",
	Short: "make the store and its first token",
	Long: `
usage: markgend init [-db DB] [-token-file F]

Init makes the store, and in it a token with the scope admin, with which others can be made.

  -db DB          the store, as for markgend serve (default $MARKGEN_DB, else fleet.db)
  -token-file F   the file that the token is written to, which its owner alone may read; it must not be there, or be
                  empty (default admin.token)

examples:
  markgend init
  markgend init -db postgres://markgen@db.example.com/fleet -token-file /run/secrets/admin`,
	Run: runInit,
}

func runInit(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	db := fs.String("db", storeName(env), "")
	file := fs.String("token-file", "admin.token", "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if fs.NArg() > 0 {
		return env.Wrong("no arguments are expected, not %q", fs.Arg(0))
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	if err := withStore(ctx, env, *db, store.Options{}, func(s *store.Store) error { return firstToken(ctx, env, s, *file) }); err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// firstToken creates an admin token, unless the store has tokens, and writes it to a file.
func firstToken(ctx context.Context, env *cli.Env, s *store.Store, file string) (err error) {
	list, err := s.Tokens(ctx)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		return fmt.Errorf("the store has %d tokens already; markgend token list shows them, markgend token add makes another", len(list))
	}
	text, t, err := server.NewToken("admin", []string{server.ScopeAdmin}, time.Now().UTC().Truncate(time.Second), time.Time{})
	if err != nil {
		return err
	}
	// Write it to the file before it becomes valid: a token lost in between is worthless.
	f, err := tokenFile(env.Path(file))
	if err != nil {
		return fmt.Errorf("-token-file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := fmt.Fprintln(f, text); err != nil {
		return err
	}
	_ = f.Sync() // fails if it is not a file on a disk
	if err := s.AddToken(ctx, t); err != nil {
		return errors.Join(err, f.Truncate(0))
	}
	fmt.Fprintf(env.Stderr, "%s: token %s for admin is in %s, and nowhere else\n", env.Name(), t.ID, file)
	return nil
}

// tokenFile opens a file for a token. An existing file must be empty, or not a regular file.
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
