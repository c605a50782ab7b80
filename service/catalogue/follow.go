package catalogue

import (
	"context"
	"errors"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
)

// A Source tells what has changed, as a store does.
type Source interface {
	Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (next store.Cursor, more bool, err error)
}

// Options say how an index follows its source. Zero values have the defaults that are given.
type Options struct {
	Every  time.Duration   // how often to ask for changes; 2 seconds
	Failed func(err error) // is told when asking failed, each time; it goes on. nil: nobody is told
}

// How much is asked for at a time, and put in at a time: searches wait for the latter.
const (
	askFor = 20_000
	putIn  = 256
)

// Follow takes in all APIs of a source, and then what changes, until the context ends. A source that fails is asked
// again. One that does not know the cursor it gave has become another, as a store does that is put back to an earlier state
// while it is in use: what it had is forgotten, and all that it has taken in anew.
func (x *Index) Follow(ctx context.Context, s Source, o Options) {
	if o.Every <= 0 {
		o.Every = 2 * time.Second
	}
	var at store.Cursor
	for {
		next, more, err := x.take(ctx, s, at)
		switch {
		case err == nil:
			at = next
			if !more {
				x.loaded()
			}
		case at != "" && errors.Is(err, store.ErrCursor):
			at = ""
			x.forget()
			continue
		case ctx.Err() == nil && o.Failed != nil:
			o.Failed(err)
		}
		if err == nil && more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(o.Every):
		}
	}
}

// take takes in some changes. What came before an error is kept, and will come again.
func (x *Index) take(ctx context.Context, s Source, at store.Cursor) (next store.Cursor, more bool, err error) {
	if err := ctx.Err(); err != nil {
		return at, false, err
	}
	batch := make([]fleet.API, 0, putIn)
	next, more, err = s.Changed(ctx, at, askFor, func(a *fleet.API) error {
		if batch = append(batch, *a); len(batch) == cap(batch) {
			x.Put(batch...)
			batch = batch[:0]
		}
		return nil
	})
	x.Put(batch...)
	return next, more, err
}

func (x *Index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.blocks, x.n, x.at, x.packages, x.files, x.kinds = nil, 0, places{}, packages{words: words{}}, words{}, words{}
	x.changes++
	x.ready = false
}

func (x *Index) loaded() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = true
}

// Ready tells whether Follow has taken in all that there was when it began. Before that an answer may lack APIs.
func (x *Index) Ready() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.ready
}
