package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A backup is gzipped JSON, one value per line: a header; then for each table a line with the names
// and kinds of its columns, an array for each row, and a line with the number of rows; and a last
// line that marks the backup as complete. Integers have up to 63 bits, bytes are in base64. Nothing
// in it depends on the database it came from.

// A line is a line that is not a row.
type line struct {
	Store   string      `json:"store,omitempty"` // in the header: backupName
	Version int         `json:"version,omitempty"`
	Table   string      `json:"table,omitempty"`
	Columns [][2]string `json:"columns,omitempty"` // name and kind
	Rows    *int64      `json:"rows,omitempty"`
	Whole   bool        `json:"whole,omitempty"`
}

const backupName = "markgen"

// backupTables are the tables of a backup, in the order of restoring.
var backupTables = []string{"total", "token", "origin", "name", "api", "words", "reach", "cell", "bucket", "estimate", "reading", "head", "batch", "log", "writer", "written", "node", "path"}

// tablesOf returns the tables of a backup made by a version.
func tablesOf(version int) []string {
	if version < 5 {
		return backupTables[:slices.Index(backupTables, "node")]
	}
	return backupTables
}

// Backup writes a consistent copy of the store to w, while the store is in use. Restore reads it,
// into either database. The copy is read in one transaction, which needs a connection for as long
// as w takes; so only one backup runs at a time, and the other connections stay free.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	return s.wrap("backing up the store", s.backup(ctx, w))
}

func (s *Store) backup(ctx context.Context, w io.Writer) (err error) {
	select {
	case s.backups <- struct{}{}:
		defer func() { <-s.backups }()
	case <-ctx.Done():
		return ctx.Err()
	}
	whole := ctx
	ctx, cut := context.WithCancelCause(whole)
	s.cutBackup.Store(&cut)
	defer func() {
		s.cutBackup.Store(nil)
		if whole.Err() == nil && context.Cause(ctx) != nil { // report the cause, not the error that the database made of it
			err = context.Cause(ctx)
		}
		cut(nil)
	}()
	tx, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if s.shared { // this statement may take long
		if _, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
			return err
		}
	}
	packed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(packed, 1<<16)
	if err := writeLine(out, line{Store: backupName, Version: len(migrations)}); err != nil {
		return err
	}
	for _, table := range backupTables {
		if err := backupTable(ctx, tx, out, table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	if err := writeLine(out, line{Whole: true}); err != nil {
		return err
	}
	return errors.Join(out.Flush(), packed.Close())
}

func writeLine(w io.Writer, l line) error {
	b, err := json.Marshal(l)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

func backupTable(ctx context.Context, q queryer, out *bufio.Writer, table string) error {
	rows, err := q.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return err
	}
	columns, err := rows.ColumnTypes()
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	head := line{Table: table}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		var k kind
		switch c.DatabaseTypeName() {
		case "INTEGER", "INT8":
			k, into[i] = isInt, new(int64)
		case "TEXT":
			k, into[i] = isText, new(string)
		case "BLOB", "BYTEA":
			k, into[i] = isBytes, new([]byte)
		default:
			return errors.Join(fmt.Errorf("column %s is of type %s", c.Name(), c.DatabaseTypeName()), rows.Close())
		}
		values[i] = into[i]
		head.Columns = append(head.Columns, [2]string{c.Name(), string(k)})
	}
	if err := writeLine(out, head); err != nil {
		return errors.Join(err, rows.Close())
	}
	var b []byte
	n := int64(0)
	if err := each(rows, nil, func() error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		n++
		b = append(b[:0], '[')
		for i, v := range values {
			if i > 0 {
				b = append(b, ',')
			}
			switch v := v.(type) {
			case *int64:
				b = strconv.AppendInt(b, *v, 10)
			case *string:
				text, err := json.Marshal(*v)
				if err != nil {
					return err
				}
				b = append(b, text...)
			case *[]byte:
				b = append(base64.StdEncoding.AppendEncode(append(b, '"'), *v), '"')
			}
		}
		_, err := out.Write(append(b, ']', '\n'))
		return err
	}); err != nil {
		return err
	}
	return writeLine(out, line{Table: table, Rows: &n})
}

// Restore fills an empty store from a backup, also of an older version. If it fails the store stays
// empty.
func (s *Store) Restore(ctx context.Context, r io.Reader) error {
	return s.wrap("restoring the store", s.restore(ctx, r))
}

func (s *Store) restore(ctx context.Context, r io.Reader) error {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("this is no backup of a store: %w", err)
	}
	in := &backupReader{in: bufio.NewReaderSize(packed, 1<<16)}
	head, _, err := in.next()
	if err != nil || head == nil || head.Store != backupName {
		return errors.Join(errors.New("this is no backup of a store"), err)
	}
	switch newest := len(migrations); {
	case head.Version > newest:
		return fmt.Errorf("%w: the backup is of version %d, and this one knows %d", ErrNewer, head.Version, newest)
	case head.Version < 1:
		return errors.New("this is no backup of a store: it is of no version")
	}
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var apis, origins, writers, revision, batches, tokens int64
	if err := tx.QueryRowContext(ctx, "SELECT apis, origins, writers, revision FROM total WHERE id = 1"+s.forUpdate).Scan(&apis, &origins, &writers, &revision); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM batch), (SELECT count(*) FROM token)").Scan(&batches, &tokens); err != nil {
		return err
	}
	if apis+origins+batches+tokens+revision > 0 {
		return errors.New("it is not empty; restore into a new one")
	}
	for _, table := range tablesOf(head.Version) {
		if err := s.restoreTable(ctx, tx, in, table, writers); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	if last, _, err := in.next(); err != nil || last == nil || !last.Whole {
		return errors.Join(errCut, err)
	}
	if _, _, err := in.next(); err != io.EOF {
		return errors.New("there is more behind its end")
	}
	if err := s.fill(ctx, tx, head.Version); err != nil {
		return err
	}
	if err := checkNodes(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return s.loadCache(ctx, s.read)
}

var errCut = errors.New("the backup was cut off, or is damaged")

// checkNodes checks that nodes are numbered without gaps, parents before children.
func checkNodes(ctx context.Context, q queryer) error {
	var bad, list, last, total int64
	err := q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM node WHERE id < 1 OR parent < 0 OR parent >= id), (SELECT count(*) FROM node),
		(SELECT coalesce(max(id), 0) FROM node), nodes FROM total WHERE id = 1`).Scan(&bad, &list, &last, &total)
	if err == nil && (bad > 0 || list != last || list != total) {
		err = errCut
	}
	return err
}

// backupReader reads the lines of a backup.
type backupReader struct{ in *bufio.Reader }

// next returns the next line, either as a line or as the values of a row.
func (b *backupReader) next() (*line, []json.RawMessage, error) {
	text, err := b.in.ReadBytes('\n')
	if err == io.EOF && len(text) == 0 {
		return nil, nil, io.EOF
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errCut, err)
	}
	if text[0] == '[' {
		var row []json.RawMessage
		err := json.Unmarshal(text, &row)
		return nil, row, err
	}
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return &l, nil, d.Decode(&l)
}

// restoreTable restores a table. It numbers the writers of the backup after the existing ones and
// marks them as dead, so that their logs are recovered.
func (s *Store) restoreTable(ctx context.Context, tx transaction, in *backupReader, table string, writers int64) error {
	head, _, err := in.next()
	if err != nil {
		return err
	}
	if head == nil || head.Table != table || head.Rows != nil {
		return errCut
	}
	columns, err := columnsOf(ctx, tx, table)
	if err != nil {
		return err
	}
	rows := &rowset{}
	quoted := make([]string, len(head.Columns))
	from := make([]string, len(head.Columns))
	for i, c := range head.Columns {
		if !slices.Contains(columns, c[0]) {
			return fmt.Errorf("it has no column %q", c[0])
		}
		k := kind(c[1])
		if k != isInt && k != isText && k != isBytes {
			return fmt.Errorf("column %q is of the kind %q", c[0], c[1])
		}
		rows.columns = append(rows.columns, rowColumn{name: fmt.Sprintf("c%d", i), kind: k})
		quoted[i], from[i] = `"`+c[0]+`"`, fmt.Sprintf("v.c%d", i)
	}
	text := "INSERT INTO " + table + " (" + strings.Join(quoted, ", ") + ") SELECT " + strings.Join(from, ", ") + " FROM {rows}"
	if table == "total" {
		if _, err := tx.ExecContext(ctx, "DELETE FROM total"); err != nil {
			return err
		}
	}
	flush := func() error {
		_, err := tx.exec(ctx, text, rows, nil)
		rows.clear()
		return err
	}
	size := 0
	for n := int64(0); ; n++ {
		l, row, err := in.next()
		if err != nil {
			return errors.Join(errCut, err)
		}
		if l != nil {
			if l.Table != table || l.Rows == nil || *l.Rows != n {
				return errCut
			}
			break
		}
		if len(row) != len(rows.columns) {
			return errCut
		}
		for i, v := range row {
			size += len(v)
			if err := rows.columns[i].restore(v, table, head.Columns[i][0], writers); err != nil {
				return fmt.Errorf("row %d, column %q: %w", n+1, head.Columns[i][0], err)
			}
		}
		if rows.n++; rows.n == 2000 || size > 4<<20 {
			size = 0
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// restore appends a value of a backup to c.
func (c *rowColumn) restore(v json.RawMessage, table, column string, writers int64) error {
	switch c.kind {
	case isInt:
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return err
		}
		switch {
		case table == "writer" && column == "id", column == "writer", table == "total" && column == "writers":
			n += writers
		case table == "writer" && column == "beat":
			n = 0
		}
		c.ints = append(c.ints, n)
	case isText:
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return err
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return errors.New("a text that can't be")
		}
		c.texts = append(c.texts, text)
	case isBytes:
		var b []byte
		if err := json.Unmarshal(v, &b); err != nil {
			return err
		}
		c.bytes = append(c.bytes, append([]byte{}, b...))
	}
	return nil
}

// columnsOf returns the names of a table's columns.
func columnsOf(ctx context.Context, q queryer, table string) ([]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		return nil, err
	}
	names, err := rows.Columns()
	return names, errors.Join(err, rows.Close())
}
