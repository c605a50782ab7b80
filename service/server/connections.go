package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// A connections is a listener that limits the number of open connections. A new connection replaces
// the one that has been idle longest, so that clients can't lock others out by idle connections:
// machines between two batches, or attackers. If all are in the middle of a request, the new one
// waits.
type connections struct {
	net.Listener
	most int

	mu      sync.Mutex
	changed sync.Cond // a connection was closed or is idle now
	open    int
	waiting map[*connection]time.Time // idle connections, and since when
	closed  bool
}

func newConnections(l net.Listener, most int) *connections {
	c := &connections{Listener: l, most: most, waiting: map[*connection]time.Time{}}
	c.changed.L = &c.mu
	return c
}

// A connection is a connection accepted by a connections.
type connection struct {
	net.Conn
	of   *connections
	gone bool // closed; the server may learn it late
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

// closeOne closes the connection that has been idle longest, and reports whether there was one.
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
	_ = oldest.Close() // its client may have closed it already
	return true
}

// state is the http.Server's ConnState hook.
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
