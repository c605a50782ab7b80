package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
)

// A store has a random number, drawn when its tables are made. Backups leave it out: a restored
// store is a different store, which continues the numbers of changes, but does not accept old
// cursors. The same holds for sessions, whose key is drawn in the same way.

// identify reads the number, or draws it. The lock on the version lets only one of several starting
// processes draw.
func (s *Store) identify(ctx context.Context) error {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schema_version WHERE id = 1"+s.forUpdate).Scan(new(int)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS identity (id BIGINT PRIMARY KEY, store BIGINT NOT NULL)"); err != nil {
		return err
	}
	var numbers [1 + sessionNumbers]int64
	for i := range numbers {
		var random [8]byte
		rand.Read(random[:])
		drawn := int64(binary.LittleEndian.Uint64(random[:]) >> 1)
		if _, err := tx.ExecContext(ctx, "INSERT INTO identity (id, store) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", i+1, drawn); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT store FROM identity WHERE id = $1", i+1).Scan(&numbers[i]); err != nil {
			return err
		}
	}
	s.identity.Store(numbers[0])
	s.reachedOf.Store(numbers[0])
	for _, n := range numbers[1:] {
		s.sessionKey = binary.LittleEndian.AppendUint64(s.sessionKey, uint64(n))
	}
	return tx.Commit()
}

// sessionNumbers is the length of the session key, in numbers of 63 bits.
const sessionNumbers = 3

// SessionKey returns the secret with which all servers of the store authenticate sessions. It is
// not in backups.
func (s *Store) SessionKey() []byte { return s.sessionKey }
