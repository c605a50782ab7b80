package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/fleet/spool"
	"github.com/markgen/markgen/runtime/layout"
)

// Data put into a spool look like a run's, until the spool exceeds its limit; then a refusal is
// counted.
func TestPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "spool")
	data := filepath.Join(t.TempDir(), "data.markgen")
	if err := os.WriteFile(data, []byte("measured"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := spool.Put(t.Context(), dir, 4, data); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := spool.Put(t.Context(), dir, 4, data); err == nil || !strings.Contains(err.Error(), "holds more than the 4 bytes that it may") {
			t.Errorf("a full spool: %v", err)
		}
	}
	runs, err := filepath.Glob(filepath.Join(dir, layout.SpoolRun+"*"+layout.DataExt))
	if err != nil || len(runs) != 1 {
		t.Fatalf("the spool has %q, %v", runs, err)
	}
	if text, err := os.ReadFile(runs[0]); err != nil || string(text) != "measured" {
		t.Errorf("the run is %q, %v", text, err)
	}
	if refused, err := os.ReadFile(filepath.Join(dir, layout.SpoolRefusals)); err != nil || string(refused) != "++" {
		t.Errorf("refusals are %q, %v", refused, err)
	}
	if err := spool.Put(t.Context(), dir, 1<<20, filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := spool.Put(t.Context(), filepath.Join(data, "below"), 1<<20, data); err == nil {
		t.Error("a spool below a file")
	}
}
