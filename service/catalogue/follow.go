package catalogue

import (
	"context"
	"errors"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
)

// A Source reports changes, as *store.Store does.
type Source interface {
	Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (next store.Cursor, more bool, err error)
}

// Options configures Follow. A zero field has the default given in its comment.
type Options struct {
	Every  time.Duration   // interval of asking for changes; 2 s
	Failed func(err error) // called after each failed attempt, which is repeated; nil to ignore errors
}

// Numbers of APIs per request to the source, and per Put, which blocks searches.
const (
	askFor = 20_000
	putIn  = 256
)

// Follow reads all APIs of a source, and then its changes, until the context ends. After an error
// it tries again. A source that rejects its own cursor has changed its identity, as a restored
// store does: then the index is cleared and read anew.
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

// take reads some changes. Those before an error are kept, and will be read again.
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

// Ready reports whether Follow has read all that existed when it began. Before, answers may lack
// APIs.
func (x *Index) Ready() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.ready
}
