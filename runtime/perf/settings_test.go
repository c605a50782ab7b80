//go:build !markgen_off

package perf

import (
	"testing"
	"time"

	"github.com/markgen/markgen/runtime/config"
)

func TestExpand(t *testing.T) {
	at := uint64(time.Date(2026, 11, 21, 8, 5, 9, 0, time.UTC).UnixNano())
	for in, want := range map[string]string{"%a.%p.markgen": "app.42.markgen", "%t%%": "20261121-080509%", "%x": "%x"} {
		if got := expand(in, "app", 42, at); got != want {
			t.Errorf("expand(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWants(t *testing.T) {
	c := settings{listed: config.ParseOnly("00000000000000a2\np.F*\n")}
	c.Only = c.listed.Globs
	if !c.wants("x", "p.Format") || !c.wants("00000000000000a2", "y") || c.wants("x", "q.F") || !c.chooses() {
		t.Errorf("globs %q", c.Only)
	}
	if none := (settings{listed: config.ParseOnly("")}); none.wants("x", "p.F") || !none.chooses() {
		t.Error("an empty file chooses all")
	}
}
