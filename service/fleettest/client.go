package fleettest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
)

// Compressed returns the body of a batch, encoded and gzipped.
func Compressed(p *profile.Profile) ([]byte, error) {
	file, err := codec.Encode(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	w.Write(file)
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// NewPut returns a request that sends a batch to the service at url, with statistics of the given
// age.
func NewPut(ctx context.Context, url, token string, run fleet.RunID, sequence uint32, body io.Reader, age time.Duration) (*http.Request, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPut, fmt.Sprintf("%s/v1/batches/%s/%d", url, run, sequence), body)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/vnd.markgen.profile")
	q.Header.Set("Content-Encoding", "gzip")
	q.Header.Set("Markgen-Age", strconv.FormatInt(int64(age/time.Second), 10))
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	return q, nil
}

// A Client simulates a machine that makes runs and sends them. It crashes, repeats what it has
// sent, loses connections, and has a wrong clock. In the end it sends everything, if the service
// lets it.
type Client struct {
	URL     func() string // current URL of the service
	Token   string
	Source  *Source
	HTTP    *http.Client
	Rand    *rand.Rand // not shared with other clients
	Trouble *Trouble

	waiting []delivery // on its simulated disk
}

type delivery struct {
	run      fleet.RunID
	sequence uint32
	body     []byte
}

// Trouble counts what went wrong, for all clients.
type Trouble struct {
	Batches, Sent, Twice, Cut, Unheard, Forgotten, Refused, Failed atomic.Int64
}

func (t *Trouble) String() string {
	return fmt.Sprintf("%d batches, %d requests, of these %d sent twice at once, %d cut, %d whose answer was lost, %d answered and forgotten, %d turned away, %d without an answer",
		t.Batches.Load(), t.Sent.Load(), t.Twice.Load(), t.Cut.Load(), t.Unheard.Load(), t.Forgotten.Load(), t.Refused.Load(), t.Failed.Load())
}

// Make makes a run of at most batches batches, and calls made with each.
func (c *Client) Make(batches int, made func(*profile.Profile)) error {
	p := c.Source.Run(c.Rand, 0.2+0.8*c.Rand.Float64())
	run := fleet.NewRunID()
	for i, part := range Split(p, max(len(p.Markers)/batches, 1)+1) {
		body, err := Compressed(part)
		if err != nil {
			return err
		}
		c.waiting = append(c.waiting, delivery{run, uint32(i), body})
		c.Trouble.Batches.Add(1)
		made(part)
	}
	return nil
}

// Waiting returns the number of batches that were not accepted as far as the client knows.
func (c *Client) Waiting() int { return len(c.waiting) }

// Send tries to send the waiting batches. An error is an answer that no correct client should get.
func (c *Client) Send(ctx context.Context) error {
	var left []delivery
	for i, d := range c.waiting {
		if ctx.Err() != nil {
			left = append(left, c.waiting[i:]...)
			break
		}
		taken, err := c.send(ctx, d)
		if err != nil {
			return err
		}
		if taken && c.Rand.IntN(30) == 0 {
			c.Trouble.Forgotten.Add(1)
			taken = false
		}
		if !taken {
			left = append(left, d)
		}
	}
	c.waiting = left
	return nil
}

var errCut = errors.New("the connection was cut")

// A cutReader fails at its end.
type cutReader struct{ io.Reader }

func (r cutReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == io.EOF {
		err = errCut
	}
	return n, err
}

func (c *Client) send(ctx context.Context, d delivery) (taken bool, err error) {
	age := time.Duration(c.Rand.IntN(600*24)-24) * time.Hour
	age = max(age, 0)
	once := func(body io.Reader, hear bool) (status int, text string, err error) {
		q, err := NewPut(ctx, c.URL(), c.Token, d.run, d.sequence, body, age)
		if err != nil {
			return 0, "", err
		}
		c.Trouble.Sent.Add(1)
		answer, err := c.HTTP.Do(q)
		if err != nil {
			return 0, "", nil
		}
		defer answer.Body.Close()
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 2000))
		if !hear {
			return 0, "", nil
		}
		return answer.StatusCode, string(said), nil
	}
	var status int
	var text string
	switch c.Rand.IntN(20) {
	case 0:
		c.Trouble.Cut.Add(1)
		status, text, err = once(cutReader{bytes.NewReader(d.body[:c.Rand.IntN(len(d.body))])}, false)
	case 1:
		c.Trouble.Unheard.Add(1)
		status, text, err = once(bytes.NewReader(d.body), false)
	case 2:
		c.Trouble.Twice.Add(1)
		var both sync.WaitGroup
		both.Go(func() { _, _, _ = once(bytes.NewReader(d.body), false) })
		status, text, err = once(bytes.NewReader(d.body), true)
		both.Wait()
	default:
		status, text, err = once(bytes.NewReader(d.body), true)
	}
	switch {
	case err != nil:
		return false, err
	case status == 0:
		c.Trouble.Failed.Add(1)
		return false, nil
	case status == http.StatusCreated || status == http.StatusOK:
		return true, nil
	case status == http.StatusTooManyRequests || status > http.StatusNotImplemented:
		c.Trouble.Refused.Add(1)
		return false, nil
	}
	return false, fmt.Errorf("a batch was answered with %d: %s", status, text)
}
