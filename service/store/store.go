// Package store keeps the catalogue: what batches from many machines add up to, by marker, origin and day, in SQLite
// or PostgreSQL. Both have the same tables and are used by the same code; what differs between them is in a dialect.
//
//	s, err := store.Open(ctx, "fleet.db", store.Options{})
//	defer s.Close()
//	receipt, err := s.Ingest(ctx, batch)          // returns when the batch is safe on disk
//	groups, err := s.Figures(ctx, id, fleet.Filter{}, fleet.ByBuild)
//
// A batch is counted once, whatever happens: it is told from others by its ID, and what says that it has come is
// written together with it. All figures are whole numbers that are added up in the database, so that several
// processes can share one without a leader.
package store

import (
	"errors"
	"time"
)

// What Ingest and the others return, wrapped, besides what the database says.
var (
	ErrConflict = errors.New("another batch has come by this ID") // its bytes differ
	ErrFull     = errors.New("the store is full")                 // disk, or a limit of Options
	ErrReadOnly = errors.New("the store can't be written to")
	ErrGone     = errors.New("the store can't be reached")
	ErrBehind   = errors.New("more comes than the store can take") // try again
	ErrNewer    = errors.New("the store was made by a newer markgen")
	ErrNotFound = errors.New("the store has no such thing")
	ErrCursor   = errors.New("this is no cursor of the store") // give one that came with an earlier answer, or none
)

// Options of a store. Zero values have the defaults that are given.
type Options struct {
	MaxAPIs    int              // APIs it takes at most; 2,000,000
	MaxOrigins int              // origins it takes at most; 100,000
	Memory     int              // bytes that waiting figures may take, about; 128 MiB
	Days       int              // how long figures are kept by day; of days before them, by month, under its first day; 42
	Remember   time.Duration    // how long it is remembered which batches have come; 400 days
	Now        func() time.Time // the clock; time.Now. Of a shared store it is that of the database that counts
}

// A Store is an open store. Its methods may be called by several goroutines at once.
type Store struct{ state }

// A Cursor is a place in the sequence of changes. The zero value is before all of them.
type Cursor string
