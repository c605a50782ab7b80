package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// A rule says how two values of a column become one. All are commutative and associative: no order of adding gives another
// result.
type rule uint8

const (
	sums     rule = iota // they are added up; the sum stays at most
	sumLow               // the lower of two columns of a number of 128 bits; what it has too many goes to the next
	sumHigh              // the upper one
	largest              // the larger
	smallest             // the smaller; most is none
	union                // the bits of both
)

// A column is a figure that adds up.
type column struct {
	name string
	rule rule
}

// A table of figures: its rows are told apart by keys, and rows of equal keys become one by the rules of the columns.
// The same description makes the upserts, and adds rows up in memory before they are written and after they were
// read.
type table struct {
	name    string
	keys    []string
	columns []column
}

// The tables of figures, see docs/store.md.
var (
	// cells has what a marker has once, by API, origin and day.
	cells = &table{"cell", cellKeys, []column{
		{"runs", sums}, {"count", sums}, {"open", sums}, {"self", sums}, {"nested", sums}, {"ticks", sums},
		{"least", smallest}, {"most", largest}, {"first_least", smallest}, {"first_most", largest},
		{"sample", largest}, {"flags", union},
	}}

	// buckets has eight buckets a row: of a series, from the bucket 8·part on.
	buckets = &table{"bucket", append(cellKeys[:3:3], "series", "part"), bucketColumns()}

	// estimates has what tells how far off figures are of markers that were sampled, or picked at random.
	estimates = &table{"estimate", cellKeys, []column{
		{"samples", sums}, {"seen", sums}, {"count_var", sumLow}, {"count_var_hi", sumHigh}, {"sum_var", sumLow}, {"sum_var_hi", sumHigh},
		{"picks", sums}, {"weight", sumLow}, {"weight_hi", sumHigh}, {"picked", sumLow}, {"picked_hi", sumHigh}, {"picked_var", sumLow}, {"picked_var_hi", sumHigh},
	}}

	// readings has what collectors read: of a value its three sums; of a collector, scopes and dropped in the first two.
	readings = &table{"reading", append(cellKeys[:3:3], "value"), []column{{"sum", sums}, {"self", sums}, {"nested", sums}}}

	// heads has what is of runs as a whole, by origin and day.
	heads = &table{"head", []string{"origin", "day"}, []column{
		{"batches", sums}, {"runs", sums}, {"elapsed", sums}, {"lost", sums}, {"flags", union},
		{"sample", largest}, {"windows", sums}, {"open", sums}, {"net", sums}, {"of", sums},
		{"wild_runs", sums}, {"wild_picked", sums}, {"wild_of", sums}, {"wild_loaded", sums}, {"wild_full", sums}, {"wild_noplace", sums},
	}}
)

var cellKeys = []string{"api", "origin", "day"}

const perPart = 8 // buckets in a row

func bucketColumns() (list []column) {
	for k := range perPart {
		list = append(list, column{fmt.Sprintf("count%d", k), sums}, column{fmt.Sprintf("sum%d", k), sums},
			column{fmt.Sprintf("sq%d", k), sumLow}, column{fmt.Sprintf("sq%d_hi", k), sumHigh})
	}
	return list
}

// widest is how many columns a table has at most.
const widest = 4 * perPart

// none is the value of a column that has nothing to add.
func (c *column) none() int64 {
	if c.rule == smallest {
		return most
	}
	return 0
}

// clear makes a row that adds nothing.
func (t *table) clear(row *[widest]int64) {
	for i := range t.columns {
		row[i] = t.columns[i].none()
	}
}

// add adds a value of a column to a row.
func (t *table) add(row *[widest]int64, i int, v int64) {
	switch t.columns[i].rule {
	case sums, sumHigh:
		row[i] = add(row[i], v)
	case sumLow:
		sum := row[i] + v
		row[i] = sum & low
		row[i+1] = add(row[i+1], sum>>digits)
	case largest:
		row[i] = max(row[i], v)
	case smallest:
		row[i] = min(row[i], v)
	case union:
		row[i] |= v
	}
}

// A row in memory is its columns in few bytes: which of them have a value, and these.

func (t *table) pack(b []byte, row *[widest]int64) []byte {
	var has uint64
	for i := range t.columns {
		if row[i] != t.columns[i].none() {
			has |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, has)
	for ; has != 0; has &= has - 1 {
		b = binary.AppendUvarint(b, uint64(row[bits.TrailingZeros64(has)]))
	}
	return b
}

// unpack adds the row at the front of b to row, and returns what is behind.
func (t *table) unpack(row *[widest]int64, b []byte) []byte {
	has, n := binary.Uvarint(b)
	b = b[n:]
	for ; has != 0; has &= has - 1 {
		v, n := binary.Uvarint(b)
		b = b[n:]
		t.add(row, bits.TrailingZeros64(has), int64(v))
	}
	return b
}

// names are its keys and columns, as a statement has them.
func (t *table) names() string {
	names := append([]string(nil), t.keys...)
	for _, c := range t.columns {
		names = append(names, `"`+c.name+`"`)
	}
	return strings.Join(names, ", ")
}

// insert is the beginning of the statement that adds rows: up to VALUES, or whatever gives them. The rows have the keys and the
// columns from one up to another, not included; in the others there is nothing to add.
func (t *table) insert(from, to int) string {
	names := append([]string(nil), t.keys...)
	for _, c := range t.columns[from:to] {
		names = append(names, `"`+c.name+`"`)
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") "
}

// conflict is the end of that statement. least is the engine's function for the smaller of two numbers.
func (t *table) conflict(least string, from, to int) string {
	var sets []string
	for i := from; i < to; i++ {
		c := &t.columns[i]
		have, more := t.name+`."`+c.name+`"`, `excluded."`+c.name+`"`
		var set string
		switch c.rule {
		case sums:
			set = fmt.Sprintf(`%s(%s, %d - %s) + %s`, least, have, int64(most), more, more)
		case sumLow:
			set = fmt.Sprintf(`(%s + %s) & %d`, have, more, int64(low))
		case sumHigh:
			below := t.columns[i-1].name
			carry := fmt.Sprintf(`((%s."%s" + excluded."%s") >> %d)`, t.name, below, below, digits)
			set = fmt.Sprintf(`%s(%s, %d - %s - %s) + %s + %s`, least, have, int64(most), more, carry, more, carry)
		case largest:
			set = fmt.Sprintf(`CASE WHEN %s > %s THEN %s ELSE %s END`, more, have, more, have)
		case smallest:
			set = fmt.Sprintf(`CASE WHEN %s < %s THEN %s ELSE %s END`, more, have, more, have)
		case union:
			set = fmt.Sprintf(`%s | %s`, have, more)
		}
		sets = append(sets, `"`+c.name+`" = `+set)
	}
	return " ON CONFLICT (" + strings.Join(t.keys, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}
