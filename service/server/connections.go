package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections are a listener that keeps no more than so many open. When another comes, the one that
// has waited for a request for longest is closed. So nobody is kept out by those who hold
// connections open without asking: machines between two batches of theirs, or somebody on purpose.
// If all are in the middle of a request, the new one waits.
type connections struct {
	net.Listener
	most int

	mu      sync.Mutex
	changed sync.Cond // a connection was closed, or waits for a request now
	open    int
	waiting map[*connection]time.Time // for a request, since when
	closed  bool
}

func newConnections(l net.Listener, most int) *connections {
	c := &connections{Listener: l, most: most, waiting: map[*connection]time.Time{}}
	c.changed.L = &c.mu
	return c
}

// A connection is one of them.
type connection struct {
	net.Conn
	of   *connections
	gone bool // it was closed; the server may be told late
}

func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open >= c.most && !c.closed {
		if !c.closeOne() {
			c.changed.Wait()
		}
	}
	if c.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c.open++
	one := &connection{Conn: conn, of: c}
	c.waiting[one] = time.Now()
	return one, nil
}

// closeOne closes the connection that has waited for longest, if there is one.
func (c *connections) closeOne() bool {
	var oldest *connection
	for one, since := range c.waiting {
		if oldest == nil || since.Before(c.waiting[oldest]) {
			oldest = one
		}
	}
	if oldest == nil {
		return false
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	_ = oldest.Close() // its client may have closed it
	return true
}

// state is told by the server what a connection does.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	one := conn.(*connection)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateActive:
		delete(c.waiting, one)
	case http.StateIdle:
		if one.gone {
			return
		}
		c.waiting[one] = time.Now()
		c.changed.Signal()
	}
}

func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.changed.Broadcast()
	return c.Listener.Close()
}

func (one *connection) Close() error {
	c := one.of
	c.mu.Lock()
	if !one.gone {
		one.gone = true
		delete(c.waiting, one)
		c.open--
		c.changed.Signal()
	}
	c.mu.Unlock()
	return one.Conn.Close()
}
