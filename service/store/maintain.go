package store

import (
	"context"
	"slices"
	"time"

	"github.com/markgen/markgen/fleet"
)

// Maintenance saves space: statistics of days are merged into months, and IDs of batches that
// nobody resends any more are deleted.

const (
	maintenanceInterval = time.Hour
	lateDays            = 7    // days during which late batches may still reach the tables
	maxForget           = 2000 // IDs deleted in one transaction
)

// monthOf returns the first day of d's month, under which the statistics of the month are kept.
func monthOf(d fleet.Day) fleet.Day { return d - fleet.Day(d.Time().Day()-1) }

// storedDay returns the day under which statistics of day are kept: itself, or the first of its
// month.
func (s *Store) storedDay(day fleet.Day, now time.Time) fleet.Day {
	if day < fleet.DayOf(now)-fleet.Day(s.options.Days) {
		return monthOf(day)
	}
	return day
}

// maintain runs maintenance once.
func (s *Store) maintain(ctx context.Context) error {
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return err
	}
	if err := s.forget(ctx, now.Add(-s.options.Remember)); err != nil {
		return err
	}
	return s.rollUp(ctx, fleet.DayOf(now)-fleet.Day(s.options.Days+lateDays))
}

// forget deletes the IDs of batches received before a moment.
func (s *Store) forget(ctx context.Context, before time.Time) error {
	for !s.isClosing() {
		n, err := s.change(ctx, false, "DELETE FROM batch WHERE (run, sequence, build) IN (SELECT run, sequence, build FROM batch WHERE came < $1 ORDER BY came LIMIT $2)", before.UnixMilli(), maxForget)
		if err != nil || n < maxForget {
			return err
		}
	}
	return nil
}

// rollUp merges the statistics of days into those of their months, for all months that ended before
// a day. Rows are deleted and added in one transaction. A batch that arrives later for such a day
// makes a new row, which is merged the next time.
func (s *Store) rollUp(ctx context.Context, before fleet.Day) error {
	months := map[fleet.Day]bool{}
	rows, err := s.read.QueryContext(ctx, "SELECT DISTINCT day FROM head WHERE day < $1", int64(before))
	if err := each(rows, err, func() error {
		var day fleet.Day
		err := rows.Scan(&day)
		if month := monthOf(day); day != month && nextMonth(month) <= before {
			months[month] = true
		}
		return err
	}); err != nil {
		return err
	}
	for month := range months {
		for c := range chunks {
			if s.isClosing() {
				return nil
			}
			from := int64(uint64(c) << 56)
			for _, t := range byTag {
				if err := s.move(ctx, t, month, "api >= $3 AND api <= $4 AND ", from, from+1<<56-1); err != nil {
					return err
				}
			}
		}
		// runTotals last: its rows show that a month still has days to merge.
		if err := s.move(ctx, runTotals, month, ""); err != nil {
			return err
		}
	}
	return nil
}

// nextMonth returns the first day of the following month.
func nextMonth(month fleet.Day) fleet.Day { return fleet.DayOf(month.Time().AddDate(0, 1, 0)) }

// move merges the rows of a month's days into one under the month.
func (s *Store) move(ctx context.Context, t *table, month fleet.Day, where string, args ...any) error {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	width := len(t.keys) + len(t.columns)
	day := slices.Index(t.keys, "day")
	values := make([]int64, width)
	into := make([]any, width)
	for i := range values {
		into[i] = &values[i]
	}
	var list [][]int64
	rows, err := tx.QueryContext(ctx, "DELETE FROM "+t.name+" WHERE "+where+"day > $1 AND day < $2 RETURNING "+t.names(), append([]any{int64(month), int64(nextMonth(month))}, args...)...)
	if err := each(rows, err, func() error {
		err := rows.Scan(into...)
		values[day] = int64(month)
		list = append(list, slices.Clone(values))
		return err
	}); err != nil || len(list) == 0 {
		return err
	}
	// An upsert needs each key once.
	keys := len(t.keys)
	slices.SortFunc(list, func(a, b []int64) int { return slices.Compare(a[:keys], b[:keys]) })
	var sum []int64
	for i := 0; i < len(list); {
		var row [rowWidth]int64
		t.clear(&row)
		first := list[i][:keys]
		for ; i < len(list) && slices.Equal(list[i][:keys], first); i++ {
			for k, v := range list[i][keys:] {
				t.add(&row, k, v)
			}
		}
		sum = append(append(sum, first...), row[:len(t.columns)]...)
	}
	if err := tx.bulk(ctx, t, sum); err != nil {
		return err
	}
	if _, err := renumber(ctx, tx); err != nil { // answers to queries by day change
		return err
	}
	return tx.Commit()
}
