package overlay_test

import (
	"os"
	"strings"
	"testing"
)

// Like go run, markgen run does not need a temporary directory that allows execution. /tmp of
// containers often does not.
func TestTempWithoutExec(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount")
	}
	dir := module(t, map[string]string{"main.go": "package main\n\nfunc main() { println(\"hello\") }\n"})
	cmd := markgenIn(t, dir, t.TempDir(), "run", "-all", "-report", "none", ".")
	cmd.Args = append([]string{"unshare", "-m", "sh", "-c", `mount -t tmpfs -o noexec none "$0" || exit 77; TMPDIR=$0 exec "$@"`, t.TempDir(), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/usr/bin/unshare"
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 77 || strings.HasPrefix(string(text), "unshare: ") {
		t.Skipf("no file system can be mounted: %v %s", err, text)
	}
	if err != nil || string(text) != "hello\n" {
		t.Errorf("%v: %s", err, text)
	}
}
