//go:build unix

package filewrite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Files of ended processes are removed; files that may be others' are kept.
func TestSweep(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	gone := cmd.Process.Pid
	for name, stays := range map[string]bool{
		fmt.Sprintf(".markgen-%d-0.tmp", gone):        false,
		fmt.Sprintf(".markgen-%d-12.tmp", gone):       false,
		fmt.Sprintf(".markgen-%d-0.tmp", os.Getpid()): true,
		fmt.Sprintf(".markgen-%d-0.tmp.go", gone):     true,
		fmt.Sprintf("markgen-%d-0.tmp", gone):         true,
		".markgen-0-0.tmp":                            true,
		".markgen.yaml":                               true,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		Sweep(dir)
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
