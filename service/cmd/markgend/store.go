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

// withStore opens a store, has f use it, and closes it.
func withStore(ctx context.Context, env *cli.Env, db string, o store.Options, f func(*store.Store) error) error {
	s, err := store.Open(ctx, storeURL(env, db), o)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
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
