//go:build unix

package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

var update = flag.Bool("update-store", false, "make the stores in testdata of the newest version anew")

// versions is the number of versions with a store in testdata, made from versionBatches.
const versions = 5

func versionBatches() (list []fact) {
	r := newMaker(40)
	r.large = true
	for range 12 {
		list = append(list, r.batch())
	}
	return list
}

// Stores made by earlier versions are upgraded, and keep their content.
func TestMigrateSQLite(t *testing.T) {
	if *update {
		made := filepath.Join(t.TempDir(), "made.db")
		makeVersion(t, made)
		writePacked(t, fmt.Sprintf("testdata/%d.db.gz", versions), made)
	}
	for v := range versions {
		file := filepath.Join(t.TempDir(), "fleet.db")
		if err := os.WriteFile(file, packed(t, fmt.Sprintf("testdata/%d.db.gz", v+1)), 0o600); err != nil {
			t.Fatal(err)
		}
		checkAll(t, open(t, file, store.Options{}), versionBatches())
	}
}

func TestMigratePostgres(t *testing.T) {
	tier.Corpus(t)
	if *update {
		url := database(t)
		makeVersion(t, url)
		server, _ := postgres()
		dump, err := exec.Command(filepath.Join(server.Programs(), "pg_dump"), "--inserts", "--no-owner", url).Output()
		if err != nil {
			t.Fatal(err)
		}
		made := filepath.Join(t.TempDir(), "made.sql")
		if err := os.WriteFile(made, dump, 0o600); err != nil {
			t.Fatal(err)
		}
		writePacked(t, fmt.Sprintf("testdata/%d.sql.gz", versions), made)
	}
	for v := range versions {
		url := database(t)
		server, _ := postgres()
		load := exec.Command(filepath.Join(server.Programs(), "psql"), "-q", "-v", "ON_ERROR_STOP=1", url)
		load.Stdin = bytes.NewReader(packed(t, fmt.Sprintf("testdata/%d.sql.gz", v+1)))
		if out, err := load.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		checkAll(t, open(t, url, store.Options{}), versionBatches())
	}
}

func makeVersion(t *testing.T, url string) {
	s, err := store.Open(context.Background(), url, store.Options{Days: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range versionBatches() {
		ingest(t, s, b)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func packed(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writePacked(t *testing.T, name, from string) {
	t.Helper()
	plain, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, err = w.Write(plain)
	if err := errors.Join(err, w.Close(), os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// Of several processes that start at once each step is executed once; a process that knows fewer
// versions does not open newer tables; a step that fails changes nothing.
func TestMigrations(t *testing.T) {
	for name, url := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "fleet.db"), "PostgreSQL": database(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			makeVersion(t, url)

			undo := store.AddMigration("CREATE TABLE extra (id BIGINT PRIMARY KEY);\nINSERT INTO nowhere VALUES (1);\n")
			if s, err := store.Open(ctx, url, store.Options{}); err == nil {
				t.Error("a step failed, and the store opened")
				_ = s.Close()
			}
			undo()
			checkAll(t, open(t, url, store.Options{}), versionBatches())
		})
	}
}

func TestMigratedAtOnce(t *testing.T) {
	ctx := context.Background()
	url := database(t)
	makeVersion(t, url)
	undo := store.AddMigration("ALTER TABLE api ADD COLUMN extra BIGINT NOT NULL DEFAULT 7;\n")
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			s, err := store.Open(ctx, url, store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	undo()
	if _, err := store.Open(ctx, url, store.Options{}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("error %v, want ErrNewer", err)
	}
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	var extra int
	if err := c.QueryRow(ctx, "SELECT min(extra) FROM api").Scan(&extra); err != nil || extra != 7 {
		t.Error(extra, err)
	}
}
