package store_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/markgen/markgen/service/store"
)

// Means are the same whether derived from sums kept on arrival or from the buckets, whatever the
// numbers.
func testMeans(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	r := newMaker(22)
	r.large = true
	var list []fact
	for range 20 {
		b := r.batch()
		ingest(t, s, b)
		list = append(list, b)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("schema/2.sql")
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(text, []byte("UPDATE api"))
	defer store.AddMigration("UPDATE api SET timed = 0, took = 0, took_hi = 0;\n" + string(text[i:]))()
	checkAll(t, open(t, url, store.Options{}), list)
}
