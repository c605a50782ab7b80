package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

// A mergeQueue is the queue of requests that merge the statistics of any number of APIs. Only one
// runs at a time: two would need twice the memory, and twice the time on processors that batches
// need too. Others wait. Answers are sent from memory, which is limited too, so that slow clients
// block nobody.
type mergeQueue struct {
	running chan struct{} // capacity 1: held by the request that runs
	answers *budget       // bytes of answers not sent yet
}

// queueMerge answers a request that merges, once no other one runs.
func (s *Server) queueMerge(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter, *http.Request) error) error {
	if err := s.acquireMerge(r.Context()); err != nil {
		return err
	}
	a := &bufferedAnswer{header: w.Header()}
	err := func() error {
		defer func() { <-s.merges.running }()
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
	if !s.merges.answers.take(size) {
		return readLimit.problem("answers that nobody has taken yet fill the memory there is for them; ask again later")
	}
	defer s.merges.answers.give(size)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(a.body.Bytes()) // an error means that the client is gone
	return nil
}

// acquireMerge waits until no other request merges. The caller must receive from merges.running.
func (s *Server) acquireMerge(ctx context.Context) error {
	wait := time.NewTimer(s.MergeWait)
	defer wait.Stop()
	select {
	case s.merges.running <- struct{}{}:
		return nil
	case <-wait.C:
		return readLimit.problem("others that add up many APIs, too, are before it; ask again later, or for fewer: an API, a list without origins, or lines of the catalogue")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A bufferedAnswer is an answer in memory.
type bufferedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *bufferedAnswer) Header() http.Header { return b.header }

func (b *bufferedAnswer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

func (b *bufferedAnswer) Write(text []byte) (int, error) { return b.body.Write(text) }
