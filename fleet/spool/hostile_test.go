//go:build unix

package spool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// hostile starts a proxy before the receiver that does to each request what fate returns.
func hostile(t *testing.T, to *url.URL, fate func() string) *url.URL {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		cut := func(answer string) { // closes the connection after a part of an answer
			c, b, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			b.WriteString(answer)
			b.Flush()
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
		var body []byte
		send := func(n int) *http.Response { // sends n bytes of the body to the receiver
			c, err := net.Dial("tcp", to.Host)
			if err != nil {
				t.Error(err)
				return nil
			}
			defer c.Close()
			fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", q.URL.Path, len(body))
			q.Header.Write(c)
			io.WriteString(c, "\r\n")
			c.Write(body[:n])
			if n < len(body) {
				c.(*net.TCPConn).CloseWrite()
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return nil
			}
			b, _ := io.ReadAll(answer.Body)
			answer.Body = io.NopCloser(bytes.NewReader(b))
			return answer
		}
		pass := func(answer *http.Response) {
			if answer == nil {
				cut("")
				return
			}
			for k, v := range answer.Header {
				w.Header()[k] = v
			}
			w.WriteHeader(answer.StatusCode)
			io.Copy(w, answer.Body)
		}
		f := fate()
		if f == "before" {
			cut("")
			return
		}
		var err error
		if body, err = io.ReadAll(q.Body); err != nil {
			return
		}
		switch f {
		case "half": // of the body arrives
			pass(send(len(body) / 2))
		case "damaged":
			body[len(body)/2] ^= 0x40
			pass(send(len(body)))
		case "502", "504", "429", "408", "500", "507":
			send(len(body)) // it arrived
			w.Header().Set("Retry-After", "0")
			var code int
			fmt.Sscan(f, &code)
			w.WriteHeader(code)
		case "early": // it did not arrive
			w.WriteHeader(503)
		case "twice":
			send(len(body))
			pass(send(len(body)))
		case "answer": // is lost
			send(len(body))
			cut("")
		case "half an answer":
			send(len(body))
			cut("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{\"known\":")
		case "login": // of captive portals
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>Welcome to the hotel")
		default:
			pass(send(len(body)))
		}
	}))
	t.Cleanup(proxy.Close)
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var fates = []string{"", "before", "half", "damaged", "502", "504", "429", "408", "500", "507", "early", "twice", "answer", "half an answer", "login"}

// Whatever a proxy does to requests and answers, in the end everything has arrived and counts once.
func TestHostileProxy(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for _, only := range append([]string{"any"}, fates...) {
		dir, r := memoryDir(t), newReceiver(t)
		s := opened(t, dir)
		p := some(30, 2)
		for range 3 {
			leave(t, dir, p.file(false))
		}
		if _, err := s.Pack(t.Context(), PackOptions{Batch: 1 << 10}); err != nil {
			t.Fatal(err)
		}
		n := 0
		o := r.options()
		o.Server = hostile(t, r.url, func() string {
			n++
			switch {
			case only == "any":
				return fates[rng.IntN(len(fates))]
			case n%2 == 1:
				return only
			}
			return ""
		})
		var trouble error
		for range 40 {
			var sent Sent
			if sent, trouble = s.Send(t.Context(), o); trouble == nil && sent.Left == 0 {
				break
			}
		}
		if trouble != nil || s.left() > 0 {
			t.Errorf("%s: %d batches are left: %v", only, s.left(), trouble)
		}
		if aside, err := os.ReadDir(s.path(refusedDir)); len(aside) > 0 {
			t.Errorf("%s: %d stand aside, %v", only, len(aside)/2, err)
			for _, e := range aside {
				if strings.HasSuffix(e.Name(), ".txt") {
					why, _ := os.ReadFile(s.path(refusedDir, e.Name()))
					t.Logf("%s: %s", e.Name(), why)
				}
			}
		}
		r.want(3, p, p, p)
	}
}

// The service's answer decides what happens to a batch.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		status         int
		left, aside    int
		stops, mention string
	}{
		{401, 2, 0, "token", "-token-file"},
		{403, 2, 0, "token", "ingest"},
		{404, 2, 0, "address", "-server"},
		{302, 2, 0, "elsewhere", "-server"},
		{400, 0, 2, "", "refused"},
		{409, 0, 2, "", "as the test wants it"},
		{413, 0, 2, "", "413"},
		{422, 0, 2, "", "refused"},
		{429, 2, 0, "", "429"},
		{503, 2, 0, "", "503"},
	} {
		dir, r := t.TempDir(), newReceiver(t)
		leave(t, dir, some(1, 1).file(false))
		leave(t, dir, some(1, 1).file(false))
		s := opened(t, dir)
		if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
			t.Fatal(err)
		}
		r.refuse = tt.status
		sent, err := s.Send(t.Context(), r.options())
		if sent.Left != tt.left || len(sent.Refused) != tt.aside || sent.Batches != 0 || (err != nil) != (tt.left > 0) {
			t.Errorf("%d: %+v, %v", tt.status, sent, err)
		}
		if said := fmt.Sprint(err, sent.Refused); !strings.Contains(said, tt.mention) {
			t.Errorf("%d: %s", tt.status, said)
		}
		var stop *StopError
		if errors.As(err, &stop) != (tt.stops != "") || tt.stops != "" && len(r.order) != 1 {
			t.Errorf("%d: %v after %d requests", tt.status, err, len(r.order))
		}
		for _, text := range sent.Refused {
			name, _, _ := strings.Cut(text, ": ")
			if why, err := os.ReadFile(name + ".txt"); err != nil || !strings.Contains(string(why), fmt.Sprint(tt.status)) {
				t.Errorf("%d: %s: %s, %v", tt.status, name, why, err)
			}
		}
	}
}

// A batch refused by something other than the service stays, and the error says what to check.
func TestRefusedElsewhere(t *testing.T) {
	answer := func(status int, kind, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, text)
		})
	}
	https := httptest.NewUnstartedServer(answer(201, "", ""))
	https.Config.ErrorLog = log.New(io.Discard, "", 0)
	https.StartTLS()
	https.URL = strings.Replace(https.URL, "https:", "http:", 1)
	servers := map[string]*httptest.Server{"https": https}
	for _, status := range []int{400, 402, 409, 410, 415, 422, 451} {
		servers[fmt.Sprint(status)] = httptest.NewServer(answer(status, "text/html; charset=utf-8", "<html>No"))
		servers[fmt.Sprint(status, " problem")] = httptest.NewServer(answer(status, "application/problem+json", `{"type":"about:blank","title":"No","status":400,"detail":"no"}`))
	}
	for name, server := range servers {
		defer server.Close()
		dir := t.TempDir()
		leave(t, dir, some(1, 1).file(false))
		leave(t, dir, some(1, 1).file(false))
		s := opened(t, dir)
		if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
			t.Fatal(err)
		}
		o := newReceiver(t).options()
		o.Server, _ = url.Parse(server.URL)
		sent, err := s.Send(t.Context(), o)
		if sent.Left != 2 || len(sent.Refused) != 0 || sent.Batches != 0 {
			t.Errorf("%s: %+v", name, sent)
		}
		if !errors.As(err, new(*StopError)) || !strings.Contains(err.Error(), "not markgend") || !strings.Contains(err.Error(), "https") || !strings.Contains(err.Error(), "path") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A batch that is too large for the service is split, and sent under another ID.
func TestTooLarge(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	p := some(50, 2)
	leave(t, dir, p.file(false))
	s := opened(t, dir)
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	r.most = 1200
	if sent, err := s.Send(t.Context(), r.options()); err != nil || sent.Left != 0 || len(sent.Refused) > 0 || sent.Batches < 2 {
		t.Fatalf("%+v, %v", sent, err)
	}
	r.want(1, p)
}

// The server says how long to wait; if that is too long, the next call sends the batch.
func TestRetryAfter(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for text, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "soon": 0, "99999999999": 0,
		now.Add(time.Minute).UTC().Format(http.TimeFormat):  time.Minute,
		now.Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	dir, r := t.TempDir(), newReceiver(t)
	leave(t, dir, some(1, 1).file(false))
	s := opened(t, dir)
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(503)
	}))
	defer busy.Close()
	o := r.options()
	o.Server, _ = url.Parse(busy.URL)
	if sent, err := s.Send(t.Context(), o); err == nil || !strings.Contains(err.Error(), "1h0m0s") || sent.Left != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
}

// pushOnce is the process that TestKilled starts.
func pushOnce(dir, server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	s, err := Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Pack(context.Background(), PackOptions{Batch: 1 << 10}); err != nil {
		return err
	}
	_, err = s.Send(context.Background(), SendOptions{Target: Target{Server: u, Token: testToken, Version: "test"}, Attempts: 3, Pause: time.Millisecond})
	return err
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("MARKGEN_TEST_SPOOL"); dir != "" {
		if err := pushOnce(dir, os.Getenv("MARKGEN_TEST_SERVER")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process that pushes is killed at random moments while processes leave data. In the end exactly
// that has arrived.
func TestKilled(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	proxied := hostile(t, r.url, func() string { return []string{"", "", "", "answer", "502", "twice"}[rand.IntN(6)] })
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "MARKGEN_TEST_SPOOL="+dir, "MARKGEN_TEST_SERVER="+proxied.String())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var all []program
	name := leave(t, dir, some(2, 1).file(true))
	end := live(t, name)
	for n := range 40 {
		for k := range 2 {
			p := some(10+7*k, 1+k)
			leave(t, dir, p.file(k == 0))
			all = append(all, p)
		}
		grow(t, name, some(2, 2+n).file(true))
		cmd := start()
		time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	end()
	for range 30 {
		if err := start().Wait(); err == nil {
			break
		}
	}
	r.want(len(all)+1, append(all, some(2, 41))...)
	for line := range strings.Lines(tree(t, dir)) {
		if name, _, _ := strings.Cut(line, " "); filepath.Base(name) != layout.SpoolHeld && !strings.HasPrefix(filepath.Base(name), ".markgen-") { // those are removed after an hour
			t.Errorf("left is %.300s", line)
		}
	}
}

// Others may be able to write to a spool: what they put in the place of a file makes nobody wait,
// and nothing is written elsewhere.
func TestOthersFiles(t *testing.T) {
	for _, kind := range []string{"pipe", "link"} {
		dir := t.TempDir()
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Spool{dir: dir}
		for _, name := range []string{layout.SpoolRefusals, takenCount, layout.SpoolHeld} {
			err := syscall.Mkfifo(filepath.Join(dir, name), 0o600)
			if kind == "link" {
				_ = os.Remove(filepath.Join(dir, name))
				err = os.Symlink(victim, filepath.Join(dir, name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.countRefusal(); err != nil {
			t.Error(err)
		}
		if _, taken := s.declined(); taken != 0 {
			t.Errorf("%s: %d are taken", kind, taken)
		}
		if text, err := os.ReadFile(victim); string(text) != "precious" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
