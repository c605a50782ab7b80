package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/service/store"
)

var cmdBackup = &cli.Command{
	Name:  "backup",
	Short: "write a copy of a store to a file",
	Long: `
usage: markgend backup [-db DB] FILE

Backup writes a copy of the store to FILE, which its owner alone may read (0600). Of an SQLite store that a server
uses, /v1/backup of the server gives one.

  -db DB   the store, as for markgend serve (default $MARKGEN_DB, else fleet.db)

examples:
  markgend backup fleet.backup
  markgend backup -db postgres://markgen@db.example.com/fleet fleet.backup`,
	Run: func(ctx context.Context, env *cli.Env, args []string) int {
		return withFile(ctx, env, args, func(ctx context.Context, db, file string) error {
			if err := hasStore(env, db); err != nil {
				return err
			}
			return withStore(ctx, env, db, store.Options{}, func(s *store.Store) error { return backUp(ctx, env, s, file) })
		})
	},
}

var cmdRestore = &cli.Command{
	Name:  "restore",
	Short: "fill an empty store from such a copy",
	Long: `
usage: markgend restore [-db DB] FILE

Restore fills an empty store from what markgend backup wrote, of either database.

  -db DB   the store, as for markgend serve (default $MARKGEN_DB, else fleet.db)

example:
  markgend restore -db new.db fleet.backup`,
	Run: func(ctx context.Context, env *cli.Env, args []string) int {
		return withFile(ctx, env, args, func(ctx context.Context, db, file string) error {
			f, err := os.Open(env.Path(file)) // before the store is opened, which would create it
			if err != nil {
				return fmt.Errorf("%w; give a file that markgend backup wrote", err)
			}
			defer f.Close()
			return withStore(ctx, env, db, store.Options{}, func(s *store.Store) error { return s.Restore(ctx, f) })
		})
	},
}

// withFile parses the command line of backup or restore, and calls do.
func withFile(ctx context.Context, env *cli.Env, args []string, do func(ctx context.Context, db, file string) error) int {
	fs := env.Flags()
	db := fs.String("db", storeName(env), "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if fs.NArg() != 1 {
		return env.Wrong("one file is expected, not %d", fs.NArg())
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	if err := do(ctx, *db, fs.Arg(0)); err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// backUp writes a copy of the store to a file that only its owner may read, also if the file exists
// and others may read it.
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
