package overlay

import (
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/registry"
)

func TestCollectOnly(t *testing.T) {
	c := &Collection{dir: t.TempDir(), value: "collect=time"}
	if err := c.Only([]registry.ID{1, 0xabc}); err != nil {
		t.Fatal(err)
	}
	if want := "collect=time,only=@" + filepath.Join(c.dir, "only"); getenv(c.Environ(nil), "MARKGEN") != want {
		t.Errorf("MARKGEN=%s, want %s", getenv(c.Environ(nil), "MARKGEN"), want)
	}
	if got, want := textOf(t, filepath.Join(c.dir, "only")), "0000000000000001\n0000000000000abc\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
