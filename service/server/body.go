package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A budget is memory that all requests share.
type budget struct {
	mu   sync.Mutex
	left int64
}

// take takes n bytes, and reports whether there were that many.
func (b *budget) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n {
		return false
	}
	b.left -= n
	return true
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
}

// bodyStep is the number of bytes read at once.
const bodyStep = 32 << 10

// body reads the decompressed body of a request. It allocates memory for what has arrived, not for
// what Content-Length announces. done releases it.
func (s *Server) body(w http.ResponseWriter, r *http.Request, packed bool) (body []byte, done func(), err error) {
	if r.ContentLength > s.MaxBatch {
		return nil, nil, tooLarge.problem("%d bytes, and %d is the most here; send fewer markers in a batch", r.ContentLength, s.MaxBatch)
	}
	in := &limited{r: r.Body, left: s.MaxBatch}
	taken := int64(0)
	give := func() { s.bodies.give(taken) }
	defer func() {
		if err != nil {
			give()
			return
		}
		// Remove the deadline: if it passed now, it would look as if the client had gone. (An error
		// means that the connection has no deadlines, as in tests.) After an error the deadline
		// stays, for what net/http still reads to reach the next request.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}()
	var from io.Reader = in
	if packed {
		z, err := unpackers.open(in)
		if err != nil {
			return nil, nil, s.bodyProblem(in, err)
		}
		defer unpackers.Put(z)
		from = z
	}
	out := &limited{r: from, left: s.MaxBatch}
	var b bytes.Buffer
	for {
		if taken < int64(b.Len())+bodyStep {
			more := max(bodyStep, int64(b.Len()))
			if !s.bodies.take(more) {
				return nil, nil, busy.problem("as much waits already as there is memory for; try again later")
			}
			taken += more
			b.Grow(int(taken) - b.Len())
		}
		n, err := io.CopyN(&b, out, bodyStep)
		switch {
		case n == bodyStep:
			continue
		case err == io.EOF:
			// The body must end where the gzip stream does.
			if n, err := io.ReadFull(in, make([]byte, 1)); n > 0 || err != io.EOF {
				return nil, nil, s.bodyProblem(in, cmp.Or(err, errMore))
			}
			return b.Bytes(), give, nil
		}
		if out.over && !in.over {
			return nil, nil, tooLarge.problem("more than %d bytes when unpacked, which is the most here; send fewer markers in a batch", s.MaxBatch)
		}
		return nil, nil, s.bodyProblem(in, err)
	}
}

// errMore reports bytes after the end of the gzip stream.
var errMore = errors.New("bytes follow the end of what is packed")

// bodyProblem returns the problem for a body that can't be read to its end.
func (s *Server) bodyProblem(in *limited, err error) error {
	switch {
	case in.over:
		return tooLarge.problem("more than %d bytes, which is the most here; send fewer markers in a batch", s.MaxBatch)
	case errors.Is(in.err, os.ErrDeadlineExceeded):
		return tooSlow.problem("it has to be there after %v", s.BodyTime)
	case in.err != nil && in.err != io.EOF, errors.Is(err, context.Canceled):
		return badRequest.problem("the body ends before it is complete")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return badEncoding.problem("%v", err)
	}
	return badEncoding.problem("it can't be unpacked: %v", err)
}

// limited reads from r up to a limit.
type limited struct {
	r    io.Reader
	left int64
	over bool  // the limit was exceeded
	err  error // of the reader
}

var errOver = errors.New("too large")

func (l *limited) Read(b []byte) (int, error) {
	if l.over {
		return 0, errOver
	}
	if int64(len(b)) > l.left+1 {
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	l.err = err
	if int64(n) > l.left {
		l.over = true
		return int(l.left), errOver
	}
	l.left -= int64(n)
	return n, err
}

// unpackers is a pool of gzip readers, which take 40 KiB each.
var unpackers gzipPool

type gzipPool struct{ sync.Pool }

func (p *gzipPool) open(r io.Reader) (*gzip.Reader, error) {
	if z, ok := p.Get().(*gzip.Reader); ok {
		return z, z.Reset(r)
	}
	return gzip.NewReader(r)
}
