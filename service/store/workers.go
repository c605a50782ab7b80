package store

import (
	"sync"
	"time"
)

// A worker is an activity of the store that writes.
type worker int

const (
	folding worker = iota
	tending        // writer leases and maintenance
	logging        // checkpoints of SQLite's write-ahead log
	taking         // Ingest
	workers
)

// doubtful is how long a failed Ingest counts as an error of the store: without new batches nothing
// else would clear it.
const doubtful = 10 * time.Second

// troubles has the last error of each worker.
type troubles struct {
	mu   sync.Mutex
	list [workers]struct {
		err         error
		since, last time.Time
	}
}

// note records the result of a worker's last attempt.
func (t *troubles) note(w worker, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, of := time.Now(), &t.list[w]
	if of.err == nil {
		of.since = now
	}
	of.err, of.last = err, now
}

// of returns a worker's error, or nil, and since when it has it.
func (t *troubles) of(w worker) (since time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[w].since, t.list[w].err
}

// now returns an error of any worker, or nil.
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
