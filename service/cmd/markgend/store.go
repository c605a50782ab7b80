package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/service/store"
)

// withStore opens a store, calls f with it, and closes it.
func withStore(ctx context.Context, env *cli.Env, db string, o store.Options, f func(*store.Store) error) error {
	s, err := store.Open(ctx, storeURL(env, db), o)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// storeName returns the default store of a command.
func storeName(e *cli.Env) string { return cmp.Or(e.Getenv("MARKGEN_DB"), "fleet.db") }

// hasStore returns an error if there is no such SQLite file. Opening would create it, and the empty
// store would look like the intended one.
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

// storeURL returns the URL of a store, or the absolute name of its file.
func storeURL(e *cli.Env, db string) string {
	if strings.Contains(db, "://") {
		return db
	}
	return e.Path(db)
}
