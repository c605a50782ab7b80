package server

import (
	"context"
	"errors"
	"sync"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/store"
)

// Latest is the last cursor of the changes of a store.
type latest struct {
	mu sync.Mutex
	at store.Cursor
}

// find is the cursor behind all changes there are.
func (l *latest) find(ctx context.Context, s Store) (store.Cursor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		next, more, err := s.Changed(ctx, l.at, 10_000, func(*fleet.API) error { return nil })
		if l.at != "" && errors.Is(err, store.ErrCursor) {
			l.at = "" // the store was put back to an earlier state
			continue
		}
		if err != nil {
			return "", err
		}
		l.at = next
		if !more {
			return next, nil
		}
	}
}
