//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// A servingProcess is a markgend process.
type servingProcess struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	log *bytes.Buffer
	end chan error
}

// serve starts a markgend process for a store.
func serve(t *testing.T, db string, args ...string) *servingProcess {
	t.Helper()
	s := &servingProcess{t: t, cmd: exec.Command("markgend", append([]string{"-addr", "127.0.0.1:0"}, args...)...), log: new(bytes.Buffer), end: make(chan error, 1)}
	s.cmd.Env = append(os.Environ(), "MARKGEN_DB="+db)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	go func() { s.end <- s.cmd.Wait() }()
	t.Cleanup(func() { s.kill() })
	if err != nil {
		t.Fatalf("it prints no URL: %v\n%s", <-s.end, s.log)
	}
	s.url = strings.TrimSpace(url)
	return s
}

// kill kills the process with SIGKILL.
func (s *servingProcess) kill() {
	if s.cmd.Process.Kill() == nil {
		s.end <- <-s.end
	}
}

// stop ends the process with a signal and checks that it ended cleanly.
func (s *servingProcess) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	err := <-s.end
	s.end <- err
	if err != nil {
		s.t.Errorf("it ends with %v\n%s", err, s.log)
	}
}

// storeToken creates a token in a store that no server has open.
func storeToken(t *testing.T, db, scope string) string {
	t.Helper()
	cmd := exec.Command("markgend", "token", "add", "-scope", scope, "a test's")
	cmd.Env = append(os.Environ(), "MARKGEN_DB="+db)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	return strings.TrimSpace(string(out))
}

// sendBatch sends a batch once.
func sendBatch(url, token string, run fleet.RunID, body []byte) (int, error) {
	r, err := http.NewRequest("PUT", url+"v1/batches/"+run.String()+"/0", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/vnd.markgen.profile")
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// fleetBatch returns a profile as markgen push sends it, and its encoding.
func fleetBatch(t *testing.T, seed int) (*profile.Profile, []byte) {
	t.Helper()
	p := profiletest.Random(25, uint64(seed%10))
	p.Main, p.Version = "example.com/shop", fmt.Sprintf("v1.%d.0", seed%3)
	p.Blocks, p.Pairs, p.Trace, p.Warnings = nil, nil, nil, nil
	for i := range p.Markers {
		p.Markers[i].Callers = nil
	}
	body, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, body
}

// counts waits until a server's markers have the expected counts: that takes a moment.
func counts(t *testing.T, url, token string, want map[string]uint64) {
	t.Helper()
	c := client.Client{Server: url, Token: token}
	var diff string
	for end := time.Now().Add(10 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		p, err := c.Profile(t.Context(), client.Query{})
		if problem := (*fleet.Problem)(nil); errors.As(err, &problem) && problem.Status == http.StatusServiceUnavailable {
			diff = err.Error() // the first request after a database failure may be the one that notices, and gets a retryable error
		} else if err != nil {
			t.Fatal(err)
		} else if diff = cmp.Diff(want, countsOf(p)); diff == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(diff)
		}
	}
}

func countsOf(p *profile.Profile) map[string]uint64 {
	m := map[string]uint64{}
	for _, k := range p.Markers {
		if k.Count > 0 {
			m[k.ID.String()] = k.Count
		}
	}
	return m
}

// Whatever happens to the server, each batch that a client repeats until it is answered counts
// once: if it is killed at any moment, and if it is told to end, when it finishes running requests.
func TestServeEnded(t *testing.T) {
	tier.Test(t)
	db := filepath.Join(t.TempDir(), "fleet.db")
	ingest, read := storeToken(t, db, "ingest"), storeToken(t, db, "read")
	s := serve(t, db)
	var at sync.Mutex
	url := s.url
	var all []*profile.Profile
	var senders sync.WaitGroup
	more := make(chan int)
	for range 4 {
		senders.Go(func() {
			for n := range more {
				_, body := fleetBatch(t, n)
				for run := fleet.NewRunID(); ; time.Sleep(5 * time.Millisecond) {
					at.Lock()
					to := url
					at.Unlock()
					status, err := sendBatch(to, ingest, run, body)
					if err == nil && (status == 201 || status == 200) {
						break
					}
					if err == nil && status != http.StatusServiceUnavailable {
						t.Errorf("%d", status)
						break
					}
				}
			}
		})
	}
	for n := range 300 {
		p, _ := fleetBatch(t, n)
		all = append(all, p)
		more <- n
		if n%60 == 59 {
			if n%120 == 59 {
				s.kill()
			} else {
				s.stop()
			}
			s = serve(t, db)
			at.Lock()
			url = s.url
			at.Unlock()
		}
	}
	close(more)
	senders.Wait()
	counts(t, s.url, read, countsOf(profile.Merge(all)))
	s.stop()
}

// A second signal ends it immediately.
func TestServeTwiceTold(t *testing.T) {
	db := filepath.Join(t.TempDir(), "fleet.db")
	ingest := storeToken(t, db, "ingest")
	s := serve(t, db, "-grace", "1h")
	// A request without its body delays the end.
	conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(s.url, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "PUT /v1/batches/%s/0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/vnd.markgen.profile\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
		fleet.NewRunID(), ingest)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q %v", line, err)
	}
	var ended error
	for done := false; !done; {
		s.cmd.Process.Signal(os.Interrupt)
		select {
		case ended = <-s.end:
			done = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	s.end <- ended
	var exit *exec.ExitError
	if !errors.As(ended, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
		t.Errorf("it ends with %v\n%s", ended, s.log)
	}
}

// Two servers share a database. They report its failure, and recover by themselves when it is back.
// At its end a server logs that everything is written only if it is.
func TestServeShared(t *testing.T) {
	tier.Test(t)
	pg, err := pgtest.Start(context.Background(), pgtest.Hasty)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close()
	db, err := pg.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ingest, read := storeToken(t, db, "ingest"), storeToken(t, db, "read")
	servers := []*servingProcess{serve(t, db), serve(t, db)}
	var all []*profile.Profile
	send := func(n, i int, run fleet.RunID) {
		t.Helper()
		p, body := fleetBatch(t, n)
		all = append(all, p)
		for range 2 { // to both: it counts once
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				status, err := sendBatch(servers[i].url, ingest, run, body)
				if err != nil {
					t.Fatal(err)
				}
				if status == 200 || status == 201 {
					break
				}
				if status != 503 || time.Now().After(end) {
					t.Fatalf("%d\n%s", status, servers[i].log)
				}
			}
			i = 1 - i
		}
	}
	for n := range 20 {
		send(n, n%2, fleet.NewRunID())
	}
	if err := pg.Kill(); err != nil {
		t.Fatal(err)
	}
	_, body := fleetBatch(t, 20)
	for i, s := range servers {
		if status, err := sendBatch(s.url, ingest, fleet.RunID{byte(i)}, body); err != nil || status != 503 {
			t.Errorf("without a database: %d %v", status, err)
		}
		for path, want := range map[string]int{"healthz": 200, "readyz": 503} {
			res, err := http.Get(s.url + path)
			if err != nil {
				t.Fatal(err)
			}
			var p fleet.Problem
			err = json.NewDecoder(res.Body).Decode(&p)
			res.Body.Close()
			if res.StatusCode != want || want == 503 && (err != nil || p.Type != "/problems/store-gone" || res.Header.Get("Retry-After") == "") {
				t.Errorf("without a database: /%s %d %+v", path, res.StatusCode, p)
			}
		}
	}
	if err := pg.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		send(20+n, n%2, fleet.NewRunID())
	}
	for _, s := range servers {
		counts(t, s.url, read, countsOf(profile.Merge(all)))
	}
	servers[0].stop()
	if err := pg.Kill(); err != nil {
		t.Fatal(err)
	}
	gone := servers[1]
	if err := gone.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = <-gone.end
	gone.end <- err
	if err == nil {
		t.Error("it ends well without a database")
	}
	for i, want := range []bool{true, false} {
		if said := strings.Contains(servers[i].log.String(), "what waits is written"); said != want {
			t.Errorf("server %d says that all is written: %t\n%s", i, said, servers[i].log)
		}
	}
}
