package server

import (
	"net"
	"net/http"
	"testing"
)

// A connection reported idle after it was closed is not kept: nothing would remove it again.
func TestClosedConnectionWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := newConnections(l, 1)
	defer c.Close()
	for range 3 { // each replaces the one before
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		conn, err := c.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		c.state(conn, http.StateIdle)
		if len(c.waiting) > 0 || c.open > 0 {
			t.Errorf("%d wait, %d are open", len(c.waiting), c.open)
		}
	}
}
