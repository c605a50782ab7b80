package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

// A marked program leaves data in a spool; push sends it to the service; the service has what was measured.
func TestPushToService(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	write("main.go", "package main\n\n//perf:mark\nfunc price(n int) int { return n * 3 }\n\nfunc main() {\n\tfor i := range 100 {\n\t\tprice(i)\n\t}\n}\n")
	markgen := func(environ []string, args ...string) (code int, out, errs string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code = Main(&cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: append(os.Environ(), append([]string{"PWD=" + dir, "GOWORK=off"}, environ...)...)})
		return code, stdout.String(), stderr.String()
	}
	if code, out, errs := markgen(nil, "build", "-o", "shop", "."); code != cli.OK {
		t.Fatal(out, errs)
	}
	for range 3 {
		cmd := exec.Command(filepath.Join(dir, "shop"))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "MARKGEN=spool=spool")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%s, %v", out, err)
		}
	}
	if code, out, errs := markgen([]string{"MARKGEN=spool=spool"}, "run", "-report", "none", "."); code != cli.OK || out+errs != "" {
		t.Fatalf("run: %d, %s%s", code, out, errs)
	}

	s, err := store.Open(t.Context(), filepath.Join(dir, "fleet.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	handler, err := server.New(s, server.Options{Catalogue: catalogue.New(), PublicIngest: true})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	code, out, errs := markgen(nil, "push", "-json", "-server", web.URL, "spool")
	var got []pushed
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.OK || len(got) != 1 || got[0].Sent != 4 || got[0].Left != 0 {
		t.Fatalf("push: %d, %s%s, %v", code, out, errs, err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var p *profile.Profile
	if p, _, err = s.Profile(context.Background(), fleet.Filter{}, 0); err != nil || len(p.Markers) != 1 || p.Markers[0].Count != 400 || p.Markers[0].Name != "example.com/shop.price" || p.Runs != 4 {
		t.Errorf("the service has %+v, %v", p, err)
	}
	if code, out, errs := markgen([]string{"MARKGEN_SERVER=" + web.URL, "MARKGEN_SPOOL=spool"}, "push"); code != cli.OK || out != "spool: 0 batches sent\n" || errs != "" {
		t.Errorf("again: %d, %s%s", code, out, errs)
	}
}

// What the service refuses is told with the way to send it again, and -refused does so.
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

// With -every push goes on until it is told to end, and ends cleanly then.
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
