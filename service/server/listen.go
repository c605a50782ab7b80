package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Limits are those of a listening server. Zero values have the defaults that are given.
type Limits struct {
	Connections int           // open at once. Another takes the place of one without a request, or waits; 1,000
	Header      int           // bytes of a request's header; 32 KiB
	HeaderTime  time.Duration // for the header of a request to come; 10 s
	IdleTime    time.Duration // that a connection may be silent between requests; 2 min
	Grace       time.Duration // that requests which have begun may take after the end was asked for; 30 s
	TLS         *tls.Config   // nil: none
	Notice      time.Duration // between /readyz failing and the end of listening, for balancers to see it; 0: none
}

// Serve answers requests that come through l, until ctx ends. Then /readyz fails, no new connection is taken, requests that
// have begun are answered, and it returns: nil if all were. An error is that of the listener, or that requests had to be
// cut off.
func Serve(ctx context.Context, l net.Listener, s *Server, limits Limits) error {
	open := newConnections(l, cmp.Or(limits.Connections, 1000))
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: cmp.Or(limits.HeaderTime, 10*time.Second),
		IdleTimeout:       cmp.Or(limits.IdleTime, 2*time.Minute),
		MaxHeaderBytes:    cmp.Or(limits.Header, 32<<10),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 32},
		ErrorLog:          log.New(connectionLog{s.Log}, "", 0),
		ConnState:         open.state,
	}
	l = open
	if limits.TLS != nil { // around the limit, as net/http looks for TLS connections to speak HTTP/2 on
		l = tls.NewListener(l, limits.TLS)
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	if limits.Notice > 0 {
		select {
		case err := <-ended:
			return err
		case <-time.After(limits.Notice):
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(limits.Grace, 30*time.Second))
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("requests that took longer than %v were cut off: %w", cmp.Or(limits.Grace, 30*time.Second), err), srv.Close())
	}
	return nil
}

// connectionLog is for what net/http has to say of connections: what strangers send is of little interest.
type connectionLog struct{ *slog.Logger }

func (l connectionLog) Write(text []byte) (int, error) {
	l.Debug("connection", "trouble", string(text))
	return len(text), nil
}

// A Certificate is a TLS certificate in files, which is read anew when they have changed: whoever renews it need not
// restart the server. If they can't be read then, the old one is kept, and Failed told.
type Certificate struct {
	CertFile, KeyFile string
	Failed            func(error)

	mu      sync.Mutex
	now     *tls.Certificate
	read    [2]time.Time // when the files that now is from had been changed
	failed  [2]time.Time // the same of those that could not be used
	checked time.Time
}

// recheck is how often the files are looked at.
const recheck = time.Second

// TLS is the configuration of a server with the certificate. An error is that it can't be read at present.
func (c *Certificate) TLS() (*tls.Config, error) {
	if err := c.load(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil },
	}, nil
}

func (c *Certificate) get() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) >= recheck {
		if err := c.load(); err != nil && c.Failed != nil {
			c.Failed(err)
		}
	}
	return c.now
}

// load reads the files if they have changed since the last time.
func (c *Certificate) load() error {
	c.checked = time.Now()
	var changed [2]time.Time
	for i, name := range []string{c.CertFile, c.KeyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		changed[i] = info.ModTime()
	}
	if changed == c.read || changed == c.failed {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		c.failed = changed
		return fmt.Errorf("%s, %s: %w", c.CertFile, c.KeyFile, err)
	}
	c.now, c.read = &pair, changed
	return nil
}
