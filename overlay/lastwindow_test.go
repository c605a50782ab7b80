//go:build linux

package overlay_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/profile/runfile"
)

// Scopes recorded in a window in which the run ends are weighted like those in other windows. With
// windows for half of the time, each of 5 ms, many runs of about 10 ms end in their first window.
func TestLastWindow(t *testing.T) {
	t.Parallel()
	dir, windows := t.TempDir(), 0
	for seed := range 24 {
		data := filepath.Join(dir, fmt.Sprint(seed))
		trapMust(t, dir, []string{fmt.Sprintf("MARKGEN=file=%s,sample=1:2,seed=%d,only=*.work", data, seed+1)}, steered(t), "period", "60000")
		p, err := runfile.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if m := marker(t, p, "work"); m.Samples > 1 && p.Sampling.Windows == 0 {
			t.Errorf("seed %d: %d scopes were recorded in no window", seed, m.Samples)
		}
		windows += int(p.Sampling.Windows)
	}
	if windows == 0 {
		t.Error("no run had a window")
	}
}
