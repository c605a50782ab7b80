package store

import (
	"sync"
	"time"
)

// A worker is a part of the store that writes by itself, or for who sends batches.
type worker int

const (
	folding worker = iota
	tending        // and maintaining
	logging        // of SQLite's write-ahead log
	taking         // batches
	workers
)

// doubtful is how long a batch that could not be taken says that none can be: if no other comes, nobody tries.
const doubtful = 10 * time.Second

// troubles are why the workers do not get on.
type troubles struct {
	mu   sync.Mutex
	list [workers]struct {
		err         error
		since, last time.Time
	}
}

// note says what became of a worker's last try; nil: it did what it had to.
func (t *troubles) note(w worker, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, of := time.Now(), &t.list[w]
	if of.err == nil {
		of.since = now
	}
	of.err, of.last = err, now
}

// of is why a worker does not get on, and since when.
func (t *troubles) of(w worker) (since time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[w].since, t.list[w].err
}

// now is why any of them does not get on, nil if all do.
func (t *troubles) now() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range workers {
		if of := &t.list[w]; of.err != nil && (w != taking || time.Since(of.last) < doubtful) {
			return of.err
		}
	}
	return nil
}
