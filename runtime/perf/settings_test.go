//go:build !markgen_off

package perf

import (
	"testing"
	"time"
)

func TestExpand(t *testing.T) {
	at := uint64(time.Date(2026, 11, 21, 8, 5, 9, 0, time.UTC).UnixNano())
	for in, want := range map[string]string{"%a.%p.markgen": "app.42.markgen", "%t%%": "20261121-080509%", "%x": "%x"} {
		if got := expand(in, "app", 42, at); got != want {
			t.Errorf("expand(%q) = %q, want %q", in, got, want)
		}
	}
}
