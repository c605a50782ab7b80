//go:build unix

package spool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/codec"
)

// Preview shows exactly the bytes that are sent, and changes nothing in the spool.
func TestPreview(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	s := opened(t, dir)
	leave(t, dir, some(30, 2).file(false))
	if _, err := s.Pack(t.Context(), PackOptions{Batch: 1 << 10}); err != nil {
		t.Fatal(err)
	}
	leave(t, dir, some(3, 2).file(false))
	defer live(t, leave(t, dir, some(4, 2).file(true)))()
	before := tree(t, dir)
	shown := map[string]int{} // bodies
	if err := s.Preview(t.Context(), PackOptions{}, r.options().Target, func(v Preview) error {
		shown[string(v.Sent)]++
		return codec.List(io.Discard, v.Body)
	}); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the spool was\n%s\nand is\n%s", before, after)
	}
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), r.options()); err != nil {
		t.Fatal(err)
	}
	for _, wire := range r.wires {
		shown[string(wire)]--
	}
	if len(r.wires) < 4 {
		t.Errorf("%d requests", len(r.wires))
	}
	for body, n := range shown {
		if n != 0 {
			t.Errorf("a body of %d bytes was shown and not sent, or sent and not shown: %d", len(body), n)
		}
	}
}

// tree returns the content of all files in a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			b, err := os.ReadFile(name)
			fmt.Fprintf(&text, "%s %x %v\n", name, b, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}
