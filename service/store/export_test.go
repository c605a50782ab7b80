package store

import (
	"context"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
)

// SetLease sets after how long without renewal a writer is considered dead.
func SetLease(d time.Duration) { lease, renewInterval = d, d/5 }

// SetLog sets the lengths of SQLite's write-ahead log, in pages, at which it is truncated and at
// which a backup is canceled, until undo is called. It also shortens the interval of checkpoints.
func SetLog(long, longer int) (undo func()) {
	often, had, hadLonger := checkpointInterval, truncatePages, cancelPages
	checkpointInterval, truncatePages, cancelPages = 10*time.Millisecond, long, longer
	return func() { checkpointInterval, truncatePages, cancelPages = often, had, hadLonger }
}

// Maintain runs the hourly maintenance.
func (s *Store) Maintain(ctx context.Context) error { return s.maintain(ctx) }

// Pragma sets a pragma of SQLite's writing connection.
func (s *Store) Pragma(setting string) error {
	_, err := s.write.Exec("PRAGMA " + setting)
	return err
}

// AddMigration adds a version of the tables, until undo is called.
func AddMigration(text string) (undo func()) {
	had := migrations
	migrations = append(had[:len(had):len(had)], migration{len(had) + 1, text})
	return func() { migrations = had }
}

// Twice adds the statistics of a marker to a sum in memory twice, and returns the marker read back.
func Twice(m *profile.Marker) (*profile.Marker, error) {
	numbers := map[name]int64{}
	list := []name{{}}
	number := func(n name) int64 {
		if _, ok := numbers[n]; !ok {
			numbers[n] = int64(len(list))
			list = append(list, n)
		}
		return numbers[n]
	}
	var pack packer
	var s sum
	key := cellKey{uint64(m.ID), 1, 2}
	c := s.chunk(0, 1)
	for range 2 {
		c.add(&s, key, pack.marker(m, number), nil, mergeParts)
	}
	if cells, _ := c.sorted(); len(cells) != 1 {
		return nil, fmt.Errorf("%d cells", len(cells))
	}
	f := figures{}
	new(apiSum).add(c.value(c.find(key)), func(tag uint64, row *[rowWidth]int64) {
		f.add(tag, row[:len(byTag[tag%(1<<tagBits)].columns)])
	})
	got := &profile.Marker{ID: m.ID, Name: m.Name, Package: m.Package, Kind: m.Kind}
	f.marker(got, func(n int64) name { return list[n] })
	return got, nil
}
