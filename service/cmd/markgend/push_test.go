package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// A marked program leaves data in a spool; push sends them to the service; the service has the
// measurements.
func TestPushToService(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	write("main.go", "package main\n\n//perf:mark label=kind(n)\nfunc price(n int) int { return n * 3 }\n\nfunc kind(n int) string { return [2]string{\"even\", \"odd\"}[n%2] }\n\nfunc main() {\n\tfor i := range 100 {\n\t\tprice(i)\n\t}\n}\n")
	command := markgen(t)
	markgen := func(environ []string, args ...string) (code int, out, errs string) {
		t.Helper()
		cmd := exec.Command(command, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), append([]string{"GOFLAGS=" + tier.CachedFlags()}, environ...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
	if code, out, errs := markgen(nil, "build", "-o", "shop", "."); code != cli.OK {
		t.Fatal(out, errs)
	}
	for _, keys := range []string{"", "", ",paths"} {
		cmd := exec.Command(filepath.Join(dir, "shop"))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "MARKGEN=spool=spool"+keys)
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
	handler, err := server.New(s, server.Options{Catalogue: catalogue.New(), PublicIngest: true, PublicRead: true})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	code, out, errs := markgen(nil, "push", "-paths", "-json", "-server", web.URL, "spool")
	var got []struct{ Sent, Left int }
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.OK || len(got) != 1 || got[0].Sent != 5 || got[0].Left != 0 {
		t.Fatalf("push: %d, %s%s, %v", code, out, errs, err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var p *profile.Profile
	if p, _, err = s.Profile(context.Background(), fleet.Filter{}, 0); err != nil || len(p.Markers) != 1 || p.Markers[0].Count != 400 || p.Markers[0].Name != "example.com/shop.price" || p.Runs != 4 {
		t.Errorf("the service has %+v, %v", p, err)
	}
	if code, out, errs := markgen(nil, "query", "-server", web.URL, "-paths", "-download", "all.markgen"); code != cli.OK || errs != "" {
		t.Fatalf("query: %d, %s%s", code, out, errs)
	}
	code, out, errs = markgen(nil, "report", "-paths", "all.markgen")
	if lines := strings.Split(out, "by call path"); code != cli.OK || len(lines) != 2 || !regexp.MustCompile(`(?s)50 .*price \[even\].*50 .*price \[odd\]|50 .*price \[odd\].*50 .*price \[even\]`).MatchString(lines[1]) {
		t.Errorf("report: %d, %s%s", code, out, errs)
	}
	if code, out, errs = markgen(nil, "report", "-format", "folded", "all.markgen"); code != cli.OK || !strings.Contains(out, "price [even] ") {
		t.Errorf("folded: %d, %s%s", code, out, errs)
	}
	if code, out, errs = markgen(nil, "report", "-format", "html", "all.markgen"); code != cli.OK || !strings.Contains(out, "flame") {
		t.Errorf("html: %d, %s", code, errs)
	}
	if code, out, errs := markgen([]string{"MARKGEN_SERVER=" + web.URL, "MARKGEN_SPOOL=spool"}, "push"); code != cli.OK || out != "spool: 0 batches sent\n" || errs != "" {
		t.Errorf("again: %d, %s%s", code, out, errs)
	}
}
