//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If a server does not start, the error has the end of its log; if shared memory of the previous
// one is still there, Restart tries again.
func TestRestartFails(t *testing.T) {
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nif mkdir %[1]s/again 2>/dev/null; then echo 'FATAL: pre-existing shared memory block'; exit 1; fi\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do echo line $i; done\necho \"$@\"\nexit 1\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{bin: dir, dir: dir, settings: []string{Hasty}, log: log}
	var want strings.Builder
	want.WriteString("it ended\n")
	for i := 3; i <= 21; i++ {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	want.WriteString("-D " + s.data() + " -k " + dir + " -c listen_addresses= -c fsync=off")
	if err := s.Restart(t.Context()); err == nil || err.Error() != want.String() {
		t.Errorf("got %v\nwant %s", err, want.String())
	}
	if s.PID() != 0 || s.Stop() != nil {
		t.Error("it runs")
	}
	if got := s.Programs(); got != dir {
		t.Errorf("its programs are in %s, want %s", got, dir)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its files are there: %v", err)
	}
}
