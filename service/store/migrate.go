package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// A migration upgrades the tables from the previous version to its own.
type migration struct {
	version int
	text    string
}

// migrations are sorted by version; versions start with 1 and have no gaps.
var migrations = readMigrations(schemaFiles)

func readMigrations(files fs.FS) (list []migration) {
	names, err := fs.Glob(files, "schema/*.sql")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		version, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "schema/"), ".sql"))
		if err != nil {
			panic(err)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		list = append(list, migration{version, string(text)})
	}
	slices.SortFunc(list, func(a, b migration) int { return a.version - b.version })
	return list
}

// migrate upgrades the tables to the newest version. Each step is a transaction that locks the
// version: of several starting processes one executes a step, and the others see that it is done.
func (s *Store) migrate(ctx context.Context, list []migration) error {
	for _, one := range []string{
		"CREATE TABLE IF NOT EXISTS schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)",
		"INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING",
	} {
		if _, err := s.change(ctx, true, one); err != nil {
			return err
		}
	}
	for {
		done, err := s.step(ctx, list)
		if done || err != nil {
			return err
		}
	}
}

func (s *Store) step(ctx context.Context, list []migration) (done bool, err error) {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schema_version WHERE id = 1"+s.forUpdate).Scan(&version); err != nil {
		return false, err
	}
	newest := list[len(list)-1].version
	switch {
	case version > newest:
		return false, fmt.Errorf("%w: its tables are of version %d, and this one knows %d; use the markgen that made it, or a newer one", ErrNewer, version, newest)
	case version == newest:
		return true, nil
	}
	if err := s.liftStatementLimit(ctx, tx); err != nil {
		return false, err
	}
	for _, one := range s.translate(list[version].text) {
		if _, err := tx.ExecContext(ctx, one); err != nil {
			return false, fmt.Errorf("bringing the tables to version %d: %w", version+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE schema_version SET version = $1 WHERE id = 1", version+1); err != nil {
		return false, err
	}
	return false, tx.Commit()
}

// liftStatementLimit lifts the statement limit for a transaction that reads all statistics.
func (s *Store) liftStatementLimit(ctx context.Context, tx transaction) error {
	if !s.shared {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0")
	return err
}

// fill fills the columns added by migrations after version, in tables of the newest version that
// were restored from a backup of that version: it executes the UPDATE statements of those
// migrations.
func (s *Store) fill(ctx context.Context, tx transaction, version int) error {
	if err := s.liftStatementLimit(ctx, tx); err != nil {
		return err
	}
	for _, m := range migrations[version:] {
		for _, one := range s.translate(m.text) {
			if !strings.HasPrefix(one, "UPDATE ") {
				continue
			}
			if _, err := tx.ExecContext(ctx, one); err != nil {
				return fmt.Errorf("bringing the tables to version %d: %w", m.version, err)
			}
		}
	}
	return nil
}
