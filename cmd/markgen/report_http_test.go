package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
)

// serving runs markgen report -http in dir. stop returns the exit code and stderr.
func serving(t *testing.T, dir string, args ...string) (url string, stop func() (code int, stderr string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"-http", "127.0.0.1:0"}, args...)
		ended <- runReport(ctx, (&cli.Env{Stdout: w, Stderr: &stderr, Dir: dir}).Running(program, cmdReport), args)
		w.Close()
	}()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("it prints no URL: exit code %d\n%s", <-ended, stderr.String())
	}
	go io.Copy(io.Discard, r)
	stop = func() (int, string) {
		cancel()
		return <-ended, stderr.String()
	}
	t.Cleanup(cancel)
	return strings.TrimSpace(url), stop
}

// get asks for a page, with the Host header if one is given.
func get(t *testing.T, method, url, host string) (code int, contentType, body string) {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), string(text)
}

// The page equals the output of the command, for the data at the time of the request.
func TestReportServed(t *testing.T) {
	dir := reportFolder(t)
	url, stop := serving(t, dir, "-sort", "total", "runs", "two.markgen")
	for range 2 {
		_, want, _ := strings.Cut(markgenReport(dir, "-sort", "total", "runs", "two.markgen"), "-- stdout\n")
		code, contentType, got := get(t, "GET", url, "")
		if code != 200 || contentType != "text/plain; charset=utf-8" || got != want {
			t.Errorf("%d, %s:\n%s\nwant\n%s", code, contentType, got, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "runs", "3"), runFile(9, true), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Read errors are reported to the client; the readable data are shown.
	if err := os.Remove(filepath.Join(dir, "two.markgen")); err != nil {
		t.Fatal(err)
	}
	code, _, got := get(t, "GET", url, "")
	if code != 200 || !strings.Contains(got, "\nruns      3, not all complete\n") || !strings.HasSuffix(got, "\nwarning: two.markgen: there is no such file; give data files of marked programs, or folders of them\n") {
		t.Errorf("%d:\n%s", code, got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
		t.Fatal(err)
	}
	code, contentType, got := get(t, "GET", url, "")
	if code != 500 || !strings.HasPrefix(contentType, "text/plain") || strings.Count(got, "there is no such file") != 2 || strings.Contains(got, dir) {
		t.Errorf("%d, %s: %s", code, contentType, got)
	}

	if code, _, _ := get(t, "GET", url+"elsewhere", ""); code != 404 {
		t.Errorf("another path: %d", code)
	}
	if code, _, _ := get(t, "POST", url, ""); code != 405 {
		t.Errorf("POST: %d", code)
	}
	if code, _, body := get(t, "GET", url, "elsewhere.example"); code != 403 || !strings.Contains(body, url) {
		t.Errorf("by a name that is not the server's: %d, %s", code, body)
	}
	for _, host := range []string{"localhost", "localhost:1", "127.0.0.1", "[::1]:1", "[::1]"} {
		if code, _, _ := get(t, "GET", url, host); code != 500 {
			t.Errorf("as %s: %d", host, code)
		}
	}
	if code, stderr := stop(); code != 0 || stderr != "markgen report: serving text, which reads the data again at each request, until interrupted\n" {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// Other formats have their own content types, and a comparison is served like a single profile.
func TestReportServedFormats(t *testing.T) {
	dir := reportFolder(t)
	for _, test := range []struct{ contentType, args string }{
		{"application/json", "-format json one.markgen"},
		{"text/html; charset=utf-8", "-format html -src none one.markgen"},
		{"text/html; charset=utf-8", "-format html -src none one.markgen -- two.markgen killed.markgen"},
	} {
		args := strings.Fields(test.args)
		url, stop := serving(t, dir, args...)
		_, want, _ := strings.Cut(markgenReport(dir, args...), "-- stdout\n")
		if code, contentType, got := get(t, "GET", url, ""); code != 200 || contentType != test.contentType || got != want || len(got) < 1000 {
			t.Errorf("%s: %d, %s:\n%s\nwant\n%s", test.args, code, contentType, got, want)
		}
		if code, stderr := stop(); code != 0 {
			t.Errorf("%s: exit code %d\n%s", test.args, code, stderr)
		}
	}
}

// An address in use is an error with a remedy.
func TestReportServedTwice(t *testing.T) {
	dir := reportFolder(t)
	url, stop := serving(t, dir, "one.markgen")
	addr := strings.Trim(strings.TrimPrefix(url, "http://"), "/")
	if got := markgenReport(dir, "-http", addr, "one.markgen"); !strings.HasPrefix(got, "exit code 1\n-- stderr\nmarkgen report: -http: listen tcp "+addr+": ") ||
		!strings.HasSuffix(got, "; :0 takes a port that is free\n-- stdout\n") {
		t.Error(got)
	}
	stop()
}

// An interrupt shuts it down cleanly.
func TestReportServedInterrupted(t *testing.T) {
	cmd := exec.Command("markgen", "report", "-http", ":0", "one.markgen")
	cmd.Dir = reportFolder(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if code, _, _ := get(t, "GET", strings.TrimSpace(url), ""); code != 200 {
		t.Errorf("%d", code)
	}
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("without a host it is at %s", url)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// Each request has its own options: requests are concurrent, and a reader stores the profile to
// compare with in the options.
func TestReportServedOptions(t *testing.T) {
	for format, s := range served {
		var seen []*report.Options
		handler := s.handler(func(o *report.Options) (*profile.Profile, error) {
			seen = append(seen, o)
			return &profile.Profile{}, nil
		}, report.Options{Format: format})
		for range 2 {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", s.path, nil))
		}
		if len(seen) != 2 || seen[0] == seen[1] {
			t.Errorf("%s: two requests have the same options", format)
		}
	}
}

// Requests beyond the limit wait for others to end; requests whose client is gone are dropped.
func TestReportServedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answered atomic.Int32
		end := make(chan bool)
		handler := atOnce(2, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			answered.Add(1)
			<-end
		}))
		request := func(ctx context.Context) {
			go handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
			synctest.Wait()
		}
		gone, leave := context.WithCancel(t.Context())
		for _, ctx := range []context.Context{t.Context(), t.Context(), gone, t.Context()} {
			request(ctx)
		}
		if n := answered.Load(); n != 2 {
			t.Errorf("%d requests are answered at once, want 2", n)
		}
		leave()
		synctest.Wait()
		close(end)
		synctest.Wait()
		if n := answered.Load(); n != 3 {
			t.Errorf("%d requests were answered, want 3 of 4, as one client had gone", n)
		}
	})
}
