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
	"context"
	"errors"
	"io"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
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
)

// Options of a store. Zero values have the defaults that are given.
type Options struct {
	MaxAPIs    int              // APIs it takes at most; 2,000,000
	MaxOrigins int              // origins it takes at most; 100,000
	Memory     int              // bytes that waiting figures may take, about; 128 MiB
	Now        func() time.Time // the clock; time.Now. Of a shared store it is that of the database that counts
}

// A Store is an open store. Its methods may be called by several goroutines at once.
type Store struct{ impl }

type impl interface{ unfinished() }

// Open opens the store at a URL, postgres://…, or in an SQLite file of that name, which is made if there is none.
// Tables are brought to the newest form; of one that is newer than this program the error is ErrNewer.
func Open(ctx context.Context, url string, o Options) (*Store, error) { panic("not yet") }

// Close writes what is left and closes the store.
func (s *Store) Close() error { panic("not yet") }

// Ingest adds a batch, and returns when it is safe on disk: it survives the death of this process and of the machine.
// Figures may show in queries a little later (Settle). The batch may not be changed after.
func (s *Store) Ingest(ctx context.Context, b *fleet.Batch) (fleet.Receipt, error) { panic("not yet") }

// Settle returns when all batches that were taken before are in what queries return.
func (s *Store) Settle(ctx context.Context) error { panic("not yet") }

// A Cursor is a place in the sequence of changes. The zero value is before all of them.
type Cursor string

// Changed gives to visit the APIs that changed after the cursor, whole, and returns the cursor to ask with next. An
// API may be given again that has not changed; none that has is ever left out. limit is the number of APIs at most,
// 0: all.
func (s *Store) Changed(ctx context.Context, after Cursor, limit int, visit func(*fleet.API) error) (next Cursor, more bool, err error) {
	panic("not yet")
}

// API returns what is known of an API besides figures; ErrNotFound.
func (s *Store) API(ctx context.Context, id registry.ID) (*fleet.API, error) { panic("not yet") }

// Figures returns the sums of an API's figures that the filter chooses (its Package, Function and Kind don't
// matter), told apart by by, in the order of the keys; builds in the order in which they came first.
func (s *Store) Figures(ctx context.Context, id registry.ID, f fleet.Filter, by fleet.By) ([]fleet.Group, error) {
	panic("not yet")
}

// Profile returns the sums of all figures that the filter chooses as a profile: markers in their order, runs. It
// holds limit markers at most, 0: any number; more tells that there are others.
func (s *Store) Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error) {
	panic("not yet")
}

// An OriginSum is an origin and what came from there.
type OriginSum struct {
	fleet.Origin
	First   time.Time
	Changed time.Time
	Runs    uint64
	Batches uint64
}

// Origins returns all origins that fit the filter (its Package, Function, Kind and days don't matter), in the order
// in which they came first.
func (s *Store) Origins(ctx context.Context, f fleet.Filter) ([]OriginSum, error) { panic("not yet") }

// A Token is what the store knows of a token: not the token itself but its hash.
type Token struct {
	ID      string   // names it, is no secret
	Hash    [32]byte // SHA-256 of the secret
	Name    string   // for people
	Scopes  []string // "ingest", "read", "admin"
	Created time.Time
	Expires time.Time // zero: never
	Revoked time.Time // zero: it is good
}

// AddToken, Tokens and RevokeToken keep the tokens. A revoked one stays listed.
func (s *Store) AddToken(ctx context.Context, t Token) error      { panic("not yet") }
func (s *Store) Tokens(ctx context.Context) ([]Token, error)      { panic("not yet") }
func (s *Store) RevokeToken(ctx context.Context, id string) error { panic("not yet") }

// Backup writes a consistent copy of the store to w while it is in use, which Restore makes a store from, of either
// database.
func (s *Store) Backup(ctx context.Context, w io.Writer) error { panic("not yet") }

// Restore fills an empty store from a backup.
func (s *Store) Restore(ctx context.Context, r io.Reader) error { panic("not yet") }

// Ping tells whether the store can be written to and read.
func (s *Store) Ping(ctx context.Context) error { panic("not yet") }
