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

// Limits configures Serve. A zero field has the default given in its comment.
type Limits struct {
	Connections int           // max open connections; a new one replaces an idle one, or waits; 1,000
	Header      int           // max size of a request's header, in bytes; 32 KiB
	HeaderTime  time.Duration // max time for receiving a header; 10 s
	IdleTime    time.Duration // max time between requests on a connection; 2 min
	Grace       time.Duration // max time for finishing requests after ctx ends; 30 s
	TLS         *tls.Config   // nil for plain HTTP
	Notice      time.Duration // time between /readyz failing and the end of accepting, for load balancers to notice; 0 for none
}

// Serve answers requests from l until ctx ends. Then /readyz fails, no new connections are
// accepted, running requests are finished, and Serve returns nil. An error is the listener's, or
// that requests had to be cut off.
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
	if limits.TLS != nil { // outside open, as net/http negotiates HTTP/2 only on TLS connections
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

// connectionLog logs net/http's messages about connections at debug level: they are about what
// strangers send.
type connectionLog struct{ *slog.Logger }

func (l connectionLog) Write(text []byte) (int, error) {
	l.Debug("connection", "trouble", string(text))
	return len(text), nil
}

// A Certificate is a TLS certificate in files, which are read again when they change: renewing it
// needs no restart. If the new files can't be read, the old certificate is kept and Failed is
// called.
type Certificate struct {
	CertFile, KeyFile string
	Failed            func(error)

	mu      sync.Mutex
	now     *tls.Certificate
	read    [2]time.Time // modification times of the files of now
	failed  [2]time.Time // modification times of files that could not be used
	checked time.Time
}

// recheck is the min time between checks of the files.
const recheck = time.Second

// TLS returns a server configuration with the certificate, or an error if it can't be read now.
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

// load reads the files if they have changed.
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
