package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/profiletest"
)

// Batches that the service rejects are reported with the command to send them again, and -refused
// does so.
func TestPushRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "spool"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := profiletest.Run{Main: "example.com/shop", Tables: []profiletest.Table{{
		Text:   "p\texample.com/shop\nf\tmain.go\nm\t0000000000000001\tpoint\t0\t3\t1\t0\t-\t-\t1\texample.com/shop.c\n",
		Passes: map[int]uint64{0: 1},
	}}}
	if err := os.WriteFile(filepath.Join(dir, "spool", "run-0123456789abcdef.markgen"), run.File(), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse, paths := true, map[string]bool{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if paths[r.URL.Path] = true; refuse {
			(&fleet.Problem{Type: "/problems/profile-refused", Title: "Refused", Status: http.StatusUnprocessableEntity}).Write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"known":false,"markers":1}`)
	}))
	defer web.Close()
	push := func(flags ...string) (code int, out, errs string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args := append([]string{"push", "-server", web.URL}, flags...)
		code = Main(&cli.Env{Args: append(args, "spool"), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: os.Environ()})
		return code, stdout.String(), stderr.String()
	}
	if code, out, errs := push(); code != cli.Finding || out != "spool: 0 batches sent\n" || !strings.Contains(errs, "markgen push -refused sends it again") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	refuse = false
	if code, out, errs := push(); code != cli.OK || out != "spool: 0 batches sent\n" || errs != "" {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	if code, out, errs := push("-refused"); code != cli.OK || out != "spool: 1 batch sent\n" || errs != "" || len(paths) != 1 {
		t.Errorf("%d, %s%s, by %v", code, out, errs, paths)
	}
}

// With -every push runs until it is interrupted, and then exits cleanly.
func TestPushEvery(t *testing.T) {
	cmd := exec.Command("markgen", "push", "-every", "1ms", "-server", "http://127.0.0.1:9", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; n < 3 && lines.Scan(); n++ {
		if !strings.HasSuffix(lines.Text(), ": 0 batches sent") {
			t.Errorf("it says %q", lines.Text())
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
