package store

import (
	"sync"
	"time"
)

// A worker is an activity of the store that writes.
type worker int

const (
	folding       worker = iota
	maintaining          // writer leases and maintenance
	checkpointing        // checkpoints of SQLite's write-ahead log
	ingesting            // Ingest
	workers
)

// ingestErrorAge is how long a failed Ingest counts as an error of the store: without new batches
// nothing else would clear it.
const ingestErrorAge = 10 * time.Second

// workerErrors has the last error of each worker.
type workerErrors struct {
	mu   sync.Mutex
	list [workers]struct {
		err         error
		since, last time.Time
	}
}

// note records the result of a worker's last attempt.
func (e *workerErrors) note(w worker, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, result := time.Now(), &e.list[w]
	if result.err == nil {
		result.since = now
	}
	result.err, result.last = err, now
}

// of returns a worker's error, or nil, and since when it has it.
func (e *workerErrors) of(w worker) (since time.Time, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.list[w].since, e.list[w].err
}

// any returns an error of any worker, or nil.
func (e *workerErrors) any() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for w := range workers {
		if result := &e.list[w]; result.err != nil && (w != ingesting || time.Since(result.last) < ingestErrorAge) {
			return result.err
		}
	}
	return nil
}
