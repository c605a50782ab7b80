package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/markgen/markgen/fleet"
)

// maxConditionOrigins is the max number of origins in an SQL condition; for more, rows of all
// origins are read.
const maxConditionOrigins = 64

// inOrigins returns a condition that a column is one of a few origins, and appends their numbers to
// args. It returns "" if there are none or too many.
func inOrigins(column string, origins map[int32]fleet.Origin, args *[]any) string {
	if len(origins) == 0 || len(origins) > maxConditionOrigins {
		return ""
	}
	var in []string
	for origin := range origins {
		*args = append(*args, int64(origin))
		in = append(in, placeholder(len(*args)))
	}
	return column + " IN (" + strings.Join(in, ", ") + ")"
}

// scanCells calls visit for the rows of statistics, without paths, of some APIs within a filter's
// days. Rows of other origins are included if origins has more than maxConditionOrigins. values is
// valid until visit returns.
func (s *Store) scanCells(ctx context.Context, q queryer, apis []int64, origins map[int32]fleet.Origin, f *fleet.Filter, visit func(api int64, origin int32, day int64, tag uint64, values []int64)) error {
	from, to := days(f)
	args := []any{from, to}
	in := make([]string, len(apis))
	for i, api := range apis {
		args = append(args, api)
		in[i] = placeholder(i + 3)
	}
	where := " WHERE day >= $1 AND day <= $2 AND api IN (" + strings.Join(in, ", ") + ")"
	if few := inOrigins("origin", origins, &args); few != "" {
		where += " AND " + few
	}
	for kind, t := range byTag[:tagPath] {
		if err := s.scanRows(ctx, q, t, where, args, func(values []int64) error {
			tag := uint64(kind)
			switch t {
			case buckets:
				tag |= uint64(values[3]<<3|values[4]) << tagBits
			case readings:
				tag |= uint64(values[3]) << tagBits
			}
			visit(values[0], int32(values[1]), values[2], tag, values[len(t.keys):])
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// scanRows calls visit for rows of a table, each its keys and then its columns. values is valid
// until visit returns.
func (s *Store) scanRows(ctx context.Context, q queryer, t *table, where string, args []any, visit func(values []int64) error) error {
	values := make([]int64, len(t.keys)+len(t.columns))
	if s.readAsText {
		rows, err := q.QueryContext(ctx, "SELECT concat_ws(' ', "+t.names()+") FROM "+t.name+where, args...)
		var text sql.RawBytes
		return each(rows, err, func() error {
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if err := parseRow(values, text); err != nil {
				return err
			}
			return visit(values)
		})
	}
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	rows, err := q.QueryContext(ctx, "SELECT "+t.names()+" FROM "+t.name+where, args...)
	return each(rows, err, func() error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return visit(values)
	})
}

// parseRow parses integers separated by spaces.
func parseRow(values []int64, text []byte) error {
	for i := range values {
		n, negative := uint64(0), false
		if len(text) > 0 && text[0] == '-' {
			negative, text = true, text[1:]
		}
		k := 0
		for ; k < len(text) && text[k] != ' '; k++ {
			n = 10*n + uint64(text[k]-'0')
		}
		if k == 0 {
			return errors.New("a row with too few numbers")
		}
		if values[i] = int64(n); negative {
			values[i] = -int64(n)
		}
		text = text[min(k+1, len(text)):]
	}
	return nil
}
