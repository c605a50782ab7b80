package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/service/store"
)

// certificate writes a certificate for a name, and its key.
func certificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A renewed certificate is used without a restart, a broken one is not, and HTTP/2 works.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir, "first.example")
	var mu sync.Mutex
	var failures []string
	c := &server.Certificate{CertFile: cert, KeyFile: key, Failed: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failures = append(failures, err.Error())
	}}
	config, err := c.TLS()
	if err != nil {
		t.Fatal(err)
	}
	at := start(t, server.Options{}, server.Limits{TLS: config}, nil)
	served := func() (name, protocol, cookie string) {
		client := &http.Client{
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		defer client.CloseIdleConnections()
		res, err := client.Post(at.url+"/login", "application/x-www-form-urlencoded", strings.NewReader("token="+at.token["read"]))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("Strict-Transport-Security: %q", got)
		}
		return res.TLS.PeerCertificates[0].DNSNames[0], res.Proto, res.Header.Get("Set-Cookie")
	}
	name, protocol, cookie := served()
	if name != "first.example" || protocol != "HTTP/2.0" || !strings.HasPrefix(cookie, "__Host-markgen=") || !strings.Contains(cookie, "Secure") {
		t.Errorf("%s by %s, %s", name, protocol, cookie)
	}
	until := func(want string) {
		t.Helper()
		for name != want {
			time.Sleep(50 * time.Millisecond)
			name, _, _ = served()
		}
	}
	certificate(t, dir, "second.example")
	until("second.example")
	if err := os.WriteFile(cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(failures)
	}
	for told() == 0 {
		if name, _, _ = served(); name != "second.example" {
			t.Fatalf("with a broken certificate it serves %s", name)
		}
		time.Sleep(50 * time.Millisecond)
	}
	certificate(t, dir, "third.example")
	until("third.example")
	if _, err := (&server.Certificate{CertFile: filepath.Join(dir, "none"), KeyFile: key}).TLS(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A held store accepts batches only when released.
type held struct {
	*store.Store
	begun chan struct{}
	let   chan struct{}
}

func (s *held) Ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) {
	s.begun <- struct{}{}
	<-s.let
	return s.Store.Ingest(ctx, b)
}

// A server that is told to end reports that, finishes running requests, and accepts no more.
func TestDrain(t *testing.T) {
	s := &held{begun: make(chan struct{}), let: make(chan struct{})}
	at := start(t, server.Options{}, server.Limits{Notice: 300 * time.Millisecond}, func(real *store.Store) server.Store {
		s.Store = real
		return s
	})
	run := fleet.NewRunID()
	body := encoded(t, made(5, 1, "a/b@v1"))
	status := make(chan int)
	go func() { status <- at.put(run, "0", body).status }()
	<-s.begun
	ended := make(chan error)
	go func() { ended <- at.end() }()
	for at.do("GET", "/readyz", nil).problem() != "draining" {
		time.Sleep(5 * time.Millisecond)
	}
	if r := at.do("GET", "/healthz", nil); r.status != 200 {
		t.Errorf("/healthz: %d", r.status)
	}
	plain.CloseIdleConnections()
	for {
		conn, err := net.Dial("tcp", strings.TrimPrefix(at.url, "http://"))
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(5 * time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("it ended before what had begun was answered: %v", err)
	default:
	}
	close(s.let)
	if got := <-status; got != 201 {
		t.Errorf("what had begun: %d", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Requests that take longer than the grace period are cut off, and Serve says so.
func TestGrace(t *testing.T) {
	s := &held{begun: make(chan struct{}), let: make(chan struct{})}
	at := start(t, server.Options{}, server.Limits{Grace: 50 * time.Millisecond}, func(real *store.Store) server.Store {
		s.Store = real
		return s
	})
	body := encoded(t, made(5, 1, "a/b@v1"))
	failed := make(chan error)
	go func() {
		r, err := http.NewRequest("PUT", at.url+"/v1/batches/"+fleet.NewRunID().String()+"/0", strings.NewReader(string(body)))
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+at.token["ingest"])
			r.Header.Set("Content-Type", profileType)
			_, err = http.DefaultClient.Do(r)
		}
		failed <- err
	}()
	<-s.begun
	if err := at.end(); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("%v", err)
	}
	close(s.let)
	if err := <-failed; err == nil {
		t.Error("the request that was cut off has an answer")
	}
}

// The number of open connections is limited; one beyond the limit waits for one whose request is
// being handled.
func TestConnections(t *testing.T) {
	s := &held{begun: make(chan struct{}), let: make(chan struct{})}
	at := start(t, server.Options{}, server.Limits{Connections: 2}, func(real *store.Store) server.Store {
		s.Store = real
		return s
	})
	plain.CloseIdleConnections()
	body := encoded(t, made(5, 1, "a/b@v1"))
	status := make(chan int)
	for range 2 {
		go func() { status <- at.put(fleet.NewRunID(), "0", body).status }()
		<-s.begun
	}
	served := make(chan int)
	go func() { served <- at.do("GET", "/healthz", nil).status }()
	select {
	case <-served:
		t.Error("a third connection is served")
	case <-time.After(200 * time.Millisecond):
	}
	close(s.let)
	if a, b, c := <-status, <-status, <-served; a != 201 || b != 201 || c != 200 {
		t.Errorf("%d, %d and %d", a, b, c)
	}
}

// Idle connections lock nobody out: neither those that never sent a request, nor those after an
// answer.
func TestSilentConnections(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), "localhost")
	config, err := (&server.Certificate{CertFile: cert, KeyFile: key}).TLS()
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]*tls.Config{"plain": nil, "TLS": config} {
		at := start(t, server.Options{}, server.Limits{Connections: 4, TLS: config}, nil)
		for range 2 {
			conn, err := net.Dial("tcp", at.url[strings.LastIndexByte(at.url, '/')+1:])
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		for i := range 20 { // each keeps its connection open
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: i%2 == 0}}
			defer client.CloseIdleConnections()
			res, err := client.Get(at.url + "/healthz")
			if err != nil {
				t.Fatalf("%s: client %d: %v", name, i, err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		}
	}
}
