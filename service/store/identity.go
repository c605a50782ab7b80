package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
)

// A store has a number of its own, drawn when its tables are made. It is not in backups: what is
// restored from one is another store, whose changes are numbered on from those of the backup, and
// cursors of the one before don't hold there. Nor do sessions, whose key is drawn in the same way.

// identify learns the number, or draws it. Of several processes that start at once one does, by the lock of the version.
func (s *Store) identify(ctx context.Context) error {
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schema_version WHERE id = 1"+s.lock).Scan(new(int)); err != nil {
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

// sessionNumbers is of how many numbers of 63 bits the key is.
const sessionNumbers = 3

// SessionKey is a secret that all servers of the store have in common, to tell sessions of theirs
// by. It is not in backups.
func (s *Store) SessionKey() []byte { return s.sessionKey }
