//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// until sends batches until an error of the kind occurs, and returns those that were accepted.
func until(t *testing.T, s *store.Store, r *maker, kind error) (list []fact) {
	t.Helper()
	for range 500 {
		b := r.batch()
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		_, err := s.Ingest(ctx, b)
		stop()
		switch {
		case err == nil:
			list = append(list, b)
		case errors.Is(err, kind):
			return list
		case !errors.Is(err, store.ErrGone): // connections cut when it starts
			t.Fatalf("error %v, want %v", err, kind)
		}
	}
	t.Fatalf("never was the error %v", kind)
	return nil
}

// again sends a batch until it is accepted, as a client does.
func again(t *testing.T, s *store.Store, b *fleet.Batch) {
	t.Helper()
	var err error
	for range 500 {
		if _, err = s.Ingest(context.Background(), b); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal(err)
}

// A full store reports that it is full, also to Ping, keeps all that it accepted, and continues
// when there is space.
func TestFullSQLite(t *testing.T) {
	tier.Corpus(t)
	s := open(t, filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
	r := newMaker(30)
	if err := s.Pragma("max_page_count = 200"); err != nil {
		t.Fatal(err)
	}
	list := until(t, s, r, store.ErrFull)
	if len(list) == 0 {
		t.Error("nothing was taken")
	}
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrFull) {
		t.Error("it is said to be ready:", err)
	}
	if err := s.Pragma("max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	b := r.batch()
	again(t, s, b)
	checkAll(t, s, append(list, b))
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// smallDisk returns a small file system mounted with options.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	disk, err := os.MkdirTemp("/tmp", "full-") // accessible to all users, as t.TempDir is not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(disk) })
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return disk
}

// fill fills a file system with a file.
func fill(t *testing.T, name string) {
	t.Helper()
	if out, err := exec.Command("dd", "if=/dev/zero", "of="+name, "bs=4K").CombinedOutput(); err == nil {
		t.Fatalf("the disk did not get full\n%s", out)
	}
}

// A store on a full disk is not opened, and the error says why.
func TestFullOpens(t *testing.T) {
	tier.Test(t)
	disk := smallDisk(t, "size=4m")
	file := filepath.Join(disk, "fleet.db")
	s, err := store.Open(t.Context(), file, store.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	if s, err := store.Open(t.Context(), file, store.Options{}); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("error %v, want ErrFull", err)
		if err == nil {
			_ = s.Close()
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	open(t, file, store.Options{})
}

// The same for PostgreSQL. On a full disk it may also refuse connections, for which it needs to
// create a file.
func TestFullPostgres(t *testing.T) {
	tier.Corpus(t)
	database(t)
	server, err := postgres()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := user.Current()
	if postgres, none := user.Lookup("postgres"); none == nil && os.Getuid() == 0 { // pgtest runs it as this user
		owner = postgres
	}
	if err != nil {
		t.Fatal(err)
	}
	disk := smallDisk(t, "size=64m,mode=700,uid="+owner.Uid)
	do := func(text string) {
		t.Helper()
		if err := server.Exec(context.Background(), text); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE TABLESPACE small LOCATION '" + disk + "'")
	do("CREATE DATABASE full_disk TABLESPACE small")
	t.Cleanup(func() {
		do("DROP DATABASE full_disk WITH (FORCE)")
		do("DROP TABLESPACE small")
	})

	s := open(t, server.URL("full_disk"), store.Options{})
	r := newMaker(36)
	list := []fact{r.batch()}
	ingest(t, s, list[0])
	settle(t, s)
	fill(t, filepath.Join(disk, "filler"))
	list = append(list, until(t, s, r, store.ErrFull)...)
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrFull) {
		t.Error("it is said to be ready:", err)
	}
	if _, err := s.Origins(t.Context(), fleet.Filter{}); err != nil {
		t.Error("it can't be read:", err)
	}
	caches, err := filepath.Glob(filepath.Join(disk, "PG_*", "*", "pg_internal.init"))
	if err != nil || len(caches) == 0 {
		t.Fatal(caches, err)
	}
	for _, name := range caches {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	fill(t, filepath.Join(disk, "more"))
	do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'full_disk'")
	if _, err := s.Origins(t.Context(), fleet.Filter{}); !errors.Is(err, store.ErrGone) {
		t.Errorf("nobody can connect: error %v, want ErrGone", err)
	}
	for _, name := range []string{"filler", "more"} {
		if err := os.Remove(filepath.Join(disk, name)); err != nil {
			t.Fatal(err)
		}
	}
	b := r.batch()
	again(t, s, b)
	checkAll(t, s, append(list, b))
}

// A full store closes without retrying for long to write what is in its log; reopening it finds all
// that it accepted.
func TestFullCloses(t *testing.T) {
	tier.Test(t)
	file := filepath.Join(t.TempDir(), "fleet.db")
	s, err := store.Open(t.Context(), file, store.Options{Days: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	r := newMaker(34)
	if err := s.Pragma("max_page_count = 200"); err != nil {
		t.Fatal(err)
	}
	list := until(t, s, r, store.ErrFull)
	if err := s.Close(); err != nil && !errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
	checkAll(t, open(t, file, store.Options{}), list)
}

// The write-ahead log begins anew although clients write and read all the time, and does not wait
// for a backup that does not end.
func TestLogBeginsAnew(t *testing.T) {
	t.Cleanup(store.SetLog(50, 300))
	file := filepath.Join(t.TempDir(), "fleet.db")
	s := open(t, file, store.Options{})
	ctx := t.Context()
	var all sync.WaitGroup
	defer all.Wait()
	r := newMaker(33)
	var list []fact
	for range 5 {
		list = append(list, r.batch())
		ingest(t, s, list[len(list)-1])
	}
	reading, ended := context.WithCancel(ctx)
	defer ended()
	for range 8 {
		all.Go(func() {
			for reading.Err() == nil {
				if _, _, err := s.Profile(ctx, fleet.Filter{}, 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// salt is what SQLite's write-ahead log has in its header, another one each time it begins anew.
	salt := func() string {
		log, err := os.ReadFile(file + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return string(log[min(16, len(log)):min(24, len(log))])
	}
	anew := func() {
		before := salt()
		for range 5000 {
			list = append(list, r.batch())
			ingest(t, s, list[len(list)-1])
			if now := salt(); now != "" && now != before {
				return
			}
		}
		t.Error("the log has not begun anew in 5,000 batches")
	}
	anew()
	w := &stuck{begun: make(chan struct{}, 1), release: make(chan struct{})}
	backup := make(chan error, 1)
	go func() { backup <- s.Backup(ctx, w) }()
	<-w.begun
	anew() // at once if all was in the database when the backup began to read
	anew()
	close(w.release)
	if err := <-backup; !errors.Is(err, store.ErrBehind) {
		t.Errorf("the backup: %v, want ErrBehind", err)
	}
	ended()
	checkAll(t, s, list)
}

func TestReadOnlySQLite(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
	r := newMaker(31)
	list := []fact{r.batch()}
	ingest(t, s, list[0])
	settle(t, s)
	if err := s.Pragma("query_only = true"); err != nil {
		t.Fatal(err)
	}
	list = append(list, until(t, s, r, store.ErrReadOnly)...)
	if err := s.Ping(context.Background()); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	if _, err := s.Origins(context.Background(), fleet.Filter{}); err != nil {
		t.Error("it can't be read either:", err)
	}
	if err := s.Pragma("query_only = false"); err != nil {
		t.Fatal(err)
	}
	b := r.batch()
	again(t, s, b)
	checkAll(t, s, append(list, b))
}

// A file that is not a store is refused, and left unchanged.
func TestNoStore(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{text, filepath.Join(dir, "missing", "too", "fleet.db"), dir, ""} {
		if s, err := store.Open(context.Background(), name, store.Options{}); err == nil {
			t.Errorf("%q was opened", name)
			_ = s.Close()
		}
	}
	if now, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(now), "no database no") {
		t.Error("the file was written to")
	}
}

// If PostgreSQL refuses writes for a while, or is gone, the error says so; all accepted batches are
// there afterwards.
func TestTroublePostgres(t *testing.T) {
	tier.Corpus(t)
	store.SetLease(time.Second)
	ctx := context.Background()
	server, err := pgtest.Start(ctx, pgtest.Hasty)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	url, err := server.Database(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, url, store.Options{})
	r := newMaker(32)
	list := []fact{r.batch()}
	ingest(t, s, list[0])

	readOnly := func(on string) {
		if err := errors.Join(
			server.Exec(ctx, fmt.Sprintf("ALTER DATABASE test1 SET default_transaction_read_only = %s", on)),
			server.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'test1'"),
		); err != nil {
			t.Fatal(err)
		}
	}
	readOnly("on")
	list = append(list, until(t, s, r, store.ErrReadOnly)...)
	readOnly("off")
	b := r.batch()
	again(t, s, b)
	list = append(list, b)

	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	list = append(list, until(t, s, r, store.ErrGone)...)
	if err := s.Ping(ctx); !errors.Is(err, store.ErrGone) {
		t.Error(err)
	}
	time.Sleep(2 * time.Second) // longer than the lease
	if err := server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	b = r.batch()
	again(t, s, b)
	checkAll(t, s, append(list, b))
}
