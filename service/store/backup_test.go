package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/service/store"
)

// A backup made while batches arrive restores, in either database, to a store with exactly the
// batches accepted by then.
func testBackup(t *testing.T, url string) {
	ctx := context.Background()
	r := newMaker(8)
	s := open(t, url, store.Options{})
	if err := s.AddToken(ctx, store.Token{ID: "a", Hash: [32]byte{9}, Scopes: []string{"read"}}); err != nil {
		t.Fatal(err)
	}
	var list []fact
	for i := range 30 {
		b := r.batch()
		ingest(t, s, b)
		if list = append(list, b); i == 15 {
			settle(t, s)
		}
	}
	var backup bytes.Buffer
	if err := s.Backup(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	ingest(t, s, r.batch())

	other := open(t, filepath.Join(t.TempDir(), "other.db"), store.Options{})
	if err := other.Restore(ctx, bytes.NewReader(backup.Bytes())); err != nil {
		t.Fatal(err)
	}
	checkAll(t, other, list)
	if got := ingest(t, other, list[3]); !got.Known {
		t.Error("a batch is not known after the restore")
	}
	more := r.batch()
	ingest(t, other, more)
	checkAll(t, other, append(list, more))
	if tokens, err := other.Tokens(ctx); err != nil || len(tokens) != 1 || tokens[0].Hash != [32]byte{9} {
		t.Error(tokens, err)
	}
	if err := other.Restore(ctx, bytes.NewReader(backup.Bytes())); err == nil {
		t.Error("a store that was not empty was filled")
	}
}

// The reverse: a backup of SQLite restores into the database under test.
func testRestore(t *testing.T, url string) {
	ctx := context.Background()
	r := newMaker(9)
	from := open(t, filepath.Join(t.TempDir(), "from.db"), store.Options{})
	var list []fact
	for range 20 {
		b := r.batch()
		b.Token = "" // version 1 had no tokens
		ingest(t, from, b)
		list = append(list, b)
	}
	var backup bytes.Buffer
	if err := from.Backup(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	s := open(t, url, store.Options{})
	whole := backup.Bytes()
	for _, cut := range []int{0, 1, 20, len(whole) / 2, len(whole) - 1} {
		if err := s.Restore(ctx, bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("%d of %d bytes were restored", cut, len(whole))
		}
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	if err := s.Restore(ctx, bytes.NewReader(damaged)); err == nil {
		t.Error("a damaged backup was restored")
	}
	if err := s.Restore(ctx, bytes.NewReader(zip(t, []byte(`{"store":"markgen","version":99}`+"\n")))); !errors.Is(err, store.ErrNewer) {
		t.Errorf("a backup of version 99: %v", err)
	}
	if err := s.Restore(ctx, bytes.NewReader(asOfVersion1(t, whole))); err != nil {
		t.Fatal(err)
	}
	checkAll(t, s, list)
}

// asOfVersion1 returns the backup as version 1 would write it: without columns and tables added since.
func asOfVersion1(t *testing.T, backup []byte) []byte {
	t.Helper()
	newer := map[string]bool{"api timed": true, "api took": true, "api took_hi": true, "origin token": true, "origin same": true,
		"total nodes": true, "head path_runs": true, "head path_lost": true, "head path_labels": true, "node": true, "path": true}
	var out bytes.Buffer
	var keep []bool // whether to keep each column of the table
	skip := false   // the table
	for text := range bytes.Lines(unzip(t, backup)) {
		var row []json.RawMessage
		if json.Unmarshal(text, &row) == nil && keep != nil {
			var kept []json.RawMessage
			for i, v := range row {
				if keep[i] {
					kept = append(kept, v)
				}
			}
			text, _ = json.Marshal(kept)
			text = append(text, '\n')
		}
		var line struct {
			Store   string      `json:"store,omitempty"`
			Version int         `json:"version,omitempty"`
			Table   string      `json:"table,omitempty"`
			Columns [][2]string `json:"columns,omitempty"`
		}
		if json.Unmarshal(text, &line) == nil {
			skip = newer[line.Table]
		}
		if skip {
			continue
		}
		if json.Unmarshal(text, &line) == nil && (line.Version > 0 || line.Columns != nil) {
			var kept [][2]string
			line.Version, keep = min(line.Version, 1), nil
			for _, c := range line.Columns {
				is := !newer[line.Table+" "+c[0]]
				if keep = append(keep, is); is {
					kept = append(kept, c)
				}
			}
			line.Columns = kept
			text, _ = json.Marshal(line)
			text = append(text, '\n')
		}
		out.Write(text)
	}
	return zip(t, out.Bytes())
}

// FuzzRestore: restoring arbitrary bytes returns an error or makes a working store.
func FuzzRestore(f *testing.F) {
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(f.TempDir(), "seed.db"), store.Options{})
	if err != nil {
		f.Fatal(err)
	}
	r := newMaker(10)
	for range 3 {
		if _, err := s.Ingest(ctx, r.batch()); err != nil {
			f.Fatal(err)
		}
	}
	var backup bytes.Buffer
	if err := errors.Join(s.Backup(ctx, &backup), s.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(unzip(f, backup.Bytes()))
	f.Fuzz(func(t *testing.T, lines []byte) {
		s, err := store.Open(ctx, filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Restore(ctx, bytes.NewReader(zip(t, lines)))
		if err := s.Ping(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func unzip(t testing.TB, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func zip(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(plain)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
