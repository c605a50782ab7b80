package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

// A request is wide if it sums the statistics of any number of APIs. Only one runs at a time: two
// would need twice the memory, and twice the time on processors that batches need too. Others wait.
// Answers are sent from memory, which is limited too, so that slow clients block nobody.
type wide struct {
	turn    chan struct{} // capacity 1: held by the running one
	answers *budget       // bytes of answers not sent yet
}

// wide answers a wide request, once it has its turn.
func (s *Server) wide(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter, *http.Request) error) error {
	if err := s.takeTurn(r.Context()); err != nil {
		return err
	}
	a := &kept{header: w.Header()}
	err := func() error {
		defer func() { <-s.reads.turn }()
		ctx, cancel := context.WithTimeout(r.Context(), s.AnswerTime)
		defer cancel()
		err := answer(a, r.WithContext(ctx))
		if errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil {
			err = readLimit.problem("it takes longer than %v to add up; choose fewer, by package=, kind=func or from=", s.AnswerTime)
		}
		return err
	}()
	if err != nil {
		return err
	}
	size := int64(a.body.Len())
	if !s.reads.answers.take(size) {
		return readLimit.problem("answers that nobody has taken yet fill the memory there is for them; ask again later")
	}
	defer s.reads.answers.give(size)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(a.body.Bytes()) // an error means that the client is gone
	return nil
}

// takeTurn waits for the turn of a wide request.
func (s *Server) takeTurn(ctx context.Context) error {
	wait := time.NewTimer(s.TurnTime)
	defer wait.Stop()
	select {
	case s.reads.turn <- struct{}{}:
		return nil
	case <-wait.C:
		return readLimit.problem("others that add up many APIs, too, are before it; ask again later, or for fewer: an API, a list without origins, or lines of the catalogue")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A kept is an answer in memory.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header { return k.header }

func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

func (k *kept) Write(text []byte) (int, error) { return k.body.Write(text) }
