package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
)

// A store has a number of its own, drawn when its tables are made. It is not in backups: what is restored from one is another store,
// whose changes are numbered on from those of the backup, and cursors of the one before don't hold there.

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
	var random [8]byte
	rand.Read(random[:])
	drawn := int64(binary.LittleEndian.Uint64(random[:]) >> 1)
	if _, err := tx.ExecContext(ctx, "INSERT INTO identity (id, store) VALUES (1, $1) ON CONFLICT (id) DO NOTHING", drawn); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT store FROM identity WHERE id = 1").Scan(&s.identity); err != nil {
		return err
	}
	return tx.Commit()
}
