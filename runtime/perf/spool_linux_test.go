//go:build !markgen_off

package perf

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// Every process has its own file in the spool, also if it is killed; existing files are not
// replaced.
func TestSpool(t *testing.T) {
	spool := filepath.Join(t.TempDir(), "deep", "spool")
	for n := 1; n <= 3; n++ {
		if r := virtualForm.run(t, "spool="+spool, "work", "2"); r.code != 0 || r.stderr != "" || len(r.files()) > 0 {
			t.Fatalf("exit code %d, stderr %q, files %q", r.code, r.stderr, r.files())
		}
		names, err := filepath.Glob(spool + "/run-????????????????.markgen")
		if err != nil || len(names) != n {
			t.Errorf("%v, %v", names, err)
		}
	}
	if info, err := os.Stat(spool); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// If the spool is over its limit, processes decline and are counted; for subdirectories the size
// that markgen push has written counts.
func TestSpoolFull(t *testing.T) {
	spool := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(spool, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("run-00.markgen", strings.Repeat("x", 700))
	for n, tt := range []struct {
		limit, held string
		full        bool
	}{{"1000", "", false}, {"1000", "10", false}, {"600", "", true}, {"1000", "400", true}, {"1000", "4000\n", true}, {"1K", "junk", false}} {
		write(layout.SpoolHeld, tt.held)
		r := virtualForm.run(t, "spool="+spool+":"+tt.limit, "work", "2")
		if r.code != 0 || !strings.HasPrefix(r.stdout, "sum 20 true ") || strings.Contains(r.stderr, "it may; run markgen push "+spool+"; nothing is collected\n") != tt.full || !tt.full && r.stderr != "" {
			t.Errorf("%d: exit code %d, stdout %q, stderr %q", n, r.code, r.stdout, r.stderr)
		}
		names, _ := filepath.Glob(spool + "/run-????????????????.markgen")
		if len(names) == 1 == tt.full {
			t.Errorf("%d: %v", n, names)
		}
		for _, name := range names {
			os.Remove(name)
		}
	}
	if text, err := os.ReadFile(filepath.Join(spool, layout.SpoolRefusals)); string(text) != "+++" {
		t.Errorf("counted are %q, %v", text, err)
	}
}

func TestSpoolUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for config, stderr := range map[string]string{
		"spool=":               `key "spool": has no value; give a directory, or DIR:SIZE`,
		"spool=x,file=y":       `key "spool": cannot go with file; leave one of the two out; nothing is collected`,
		"spool=/proc/x":        `key "spool": cannot be /proc/x: no such file or directory; nothing is collected`,
		"spool=" + file:        `key "spool": cannot be ` + file + `: ` + syscall.EEXIST.Error() + `; nothing is collected`,
		"spool=" + file + "/x": `key "spool": cannot be ` + file + `/x: ` + syscall.ENOTDIR.Error() + `; nothing is collected`,
	} {
		r := virtualForm.run(t, config, "work", "2")
		if r.code != 0 || !strings.Contains(r.stderr, stderr) || strings.Count(r.stderr, "\n") != 1 || len(r.files()) > 0 {
			t.Errorf("%s: exit code %d, stderr %q, files %q", config, r.code, r.stderr, r.files())
		}
	}
}
