// Package store keeps the catalogue: the sum of the batches of many machines, by marker, origin and
// day, in SQLite or PostgreSQL. Both databases have the same tables and run the same code; a
// dialect has the differences.
//
//	s, err := store.Open(ctx, "fleet.db", store.Options{})
//	defer s.Close()
//	receipt, err := s.Ingest(ctx, batch)          // returns when the batch is safe on disk
//	groups, err := s.Figures(ctx, id, fleet.Filter{}, fleet.ByBuild)
//
// A batch is counted exactly once: its ID and its log entry are committed in one transaction. All
// statistics are integers that the database adds up, so several processes can share one database
// without a leader.
package store

import (
	"errors"
	"time"
)

// Errors that methods of Store wrap, besides those of the database.
var (
	ErrConflict = errors.New("another batch has come by this ID") // same ID, different body
	ErrFull     = errors.New("the store is full")                 // the disk, or a limit of Options
	ErrReadOnly = errors.New("the store can't be written to")
	ErrGone     = errors.New("the store can't be reached")
	ErrBehind   = errors.New("more comes than the store can take") // temporary: try again
	ErrNewer    = errors.New("the store was made by a newer markgen")
	ErrNotFound = errors.New("the store has no such thing")
	ErrCursor   = errors.New("this is no cursor of the store") // use the cursor of an earlier answer, or none
)

// Options configures a store. A zero field has the default given in its comment.
type Options struct {
	MaxAPIs    int              // max number of APIs; 2,000,000
	MaxOrigins int              // max number of origins; 100,000
	MaxNodes   int              // max number of nodes of call paths, besides those for scopes on other paths; 200,000
	Memory     int              // approximate max bytes of statistics not yet in the tables; 128 MiB
	Days       int              // days for which statistics are kept by day; older ones are kept by month, under its first day; 42
	Remember   time.Duration    // how long IDs of batches are kept to detect duplicates; 400 days
	Now        func() time.Time // the clock; time.Now. Ignored by PostgreSQL, where the database's clock counts
}

// A Store is an open store. Its methods are safe for concurrent use.
type Store struct{ state }

// A Cursor is a position in the sequence of changes. The zero value precedes all changes.
type Cursor string
