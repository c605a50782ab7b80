//go:build unix

package filewrite

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A full disk is simulated by a limit on the file size of a process.
func TestWriteAllFullDisk(t *testing.T) {
	if dir := os.Getenv("FILEWRITE_TEST_FULL"); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		err := WriteAll(t.Context(), map[string][]byte{
			filepath.Join(dir, "a"): []byte("new"),
			filepath.Join(dir, "b"): []byte(strings.Repeat("new ", 1<<16)),
		})
		var failed *Error
		if !errors.As(err, &failed) || failed.Name != filepath.Join(dir, "b") || failed.Remedy != "make room on the disk" {
			t.Errorf("got %v", err)
		}
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -f 32 && exec "$0" -test.run='^TestWriteAllFullDisk$'`, exe)
	cmd.Env = append(os.Environ(), "FILEWRITE_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Errorf("there is %v", after)
	}
}
