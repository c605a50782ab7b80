//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// If the reader of the output is gone, as with head, the data are kept and no files are left
// behind.
func TestReaderGone(t *testing.T) {
	tier.Test(t)
	for _, args := range [][]string{{"run", "-all", "-o", "data", "."}, {"test", "-all", "-o", "data", "-v", "."}} {
		t.Run(args[0], func(t *testing.T) {
			dir, tmp := t.TempDir(), t.TempDir()
			for name, text := range map[string]string{
				"go.mod":       "module example.com/m\n\ngo 1.26\n",
				"main.go":      "package main\n\nfunc main() { println(1) }\n",
				"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain1(t *testing.T) { main() }\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			cmd := exec.Command("markgen", args...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
			cmd.Env = append(os.Environ(), "MARKGEN=", "GOFLAGS="+tier.CachedFlags(), "GOWORK=", "GOTMPDIR=", "TMPDIR="+tmp, "MARKGENCACHE="+t.TempDir())
			_ = cmd.Run() // fails, since output is lost
			w.Close()
			if !cmd.ProcessState.Exited() {
				t.Errorf("it was ended: %v", cmd.ProcessState)
			}
			if _, err := os.Stat(filepath.Join(dir, "data")); err != nil && args[0] == "run" {
				t.Error(err)
			}
			left, err := os.ReadDir(tmp)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range left {
				if !strings.HasPrefix(e.Name(), "go-build") { // go's own, left when the signal kills it
					t.Errorf("%s is left", e.Name())
				}
			}
		})
	}
}
