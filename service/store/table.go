package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// A rule defines how two values of a column are merged. All rules are commutative and associative,
// so the order of merging does not matter.
type rule uint8

const (
	sums     rule = iota // saturating sum
	sumLow               // lower column of a 128-bit sum; carries into the next column
	sumHigh              // upper column of a 128-bit sum
	largest              // maximum
	smallest             // minimum; MaxInt64 if there is no value
	union                // bitwise or
)

// A column is a value that can be merged.
type column struct {
	name string
	rule rule
}

// A table is a statistics table. Rows with equal keys are merged by the rules of the columns: by
// the upserts that a table generates, in memory before writing, and after reading.
type table struct {
	name    string
	keys    []string
	columns []column
}

// Columns of cells.
const (
	cellRuns = iota
	cellCount
	cellOpen
	cellSelf
	cellNested
	cellTicks
	cellMin
	cellMax
	cellFirstMin
	cellFirstMax
	cellSample
	cellFlags
)

// Columns of estimates; those of 128-bit sums have a second, upper one.
const (
	estimateSamples = iota
	estimateSeen
	estimateCountVar
	estimateCountVarHi
	estimateSumVar
	estimateSumVarHi
	estimatePicks
	estimateWeight
	estimateWeightHi
	estimatePicked
	estimatePickedHi
	estimatePickedVar
	estimatePickedVarHi
)

// Columns of paths.
const (
	pathCount = iota
	pathSum
	pathNested
	pathSelf
)

// The statistics tables, see docs/explanation/service.md.
var (
	// cells has the single values of a marker, by API, origin and day.
	cells = &table{"cell", cellKeys, []column{
		cellRuns:     {"runs", sums},
		cellCount:    {"count", sums},
		cellOpen:     {"open", sums},
		cellSelf:     {"self", sums},
		cellNested:   {"nested", sums},
		cellTicks:    {"ticks", sums},
		cellMin:      {"least", smallest},
		cellMax:      {"most", largest},
		cellFirstMin: {"first_least", smallest},
		cellFirstMax: {"first_most", largest},
		cellSample:   {"sample", largest},
		cellFlags:    {"flags", union},
	}}

	// buckets has bucketsPerRow buckets per row: those of a series from number bucketsPerRow·part
	// on.
	buckets = &table{"bucket", append(cellKeys[:3:3], "series", "part"), bucketColumns()}

	// estimates has the data for the errors of markers that were sampled, or picked at random.
	estimates = &table{"estimate", cellKeys, []column{
		estimateSamples:     {"samples", sums},
		estimateSeen:        {"seen", sums},
		estimateCountVar:    {"count_var", sumLow},
		estimateCountVarHi:  {"count_var_hi", sumHigh},
		estimateSumVar:      {"sum_var", sumLow},
		estimateSumVarHi:    {"sum_var_hi", sumHigh},
		estimatePicks:       {"picks", sums},
		estimateWeight:      {"weight", sumLow},
		estimateWeightHi:    {"weight_hi", sumHigh},
		estimatePicked:      {"picked", sumLow},
		estimatePickedHi:    {"picked_hi", sumHigh},
		estimatePickedVar:   {"picked_var", sumLow},
		estimatePickedVarHi: {"picked_var_hi", sumHigh},
	}}

	// readings has the readings of collectors: for a value its three sums; for a collector Scopes
	// and Dropped, in the first two columns.
	readings = &table{"reading", append(cellKeys[:3:3], "value"), []column{{"sum", sums}, {"self", sums}, {"nested", sums}}}

	// paths has the figures of scopes by their path, see path.go: for value 0 their number and times;
	// for a value of a collector, in the last three columns, its three sums; for a collector Scopes and
	// Dropped, in the first two.
	paths = &table{"path", append(cellKeys[:3:3], "node", "value"), []column{
		pathCount:  {"count", sums},
		pathSum:    {"sum", sums},
		pathNested: {"nested", sums},
		pathSelf:   {"self", sums},
	}}

	// runTotals has the fields that are about runs, by origin and day.
	runTotals = &table{"head", []string{"origin", "day"}, []column{
		totalBatches:     {"batches", sums},
		totalRuns:        {"runs", sums},
		totalElapsed:     {"elapsed", sums},
		totalLost:        {"lost", sums},
		totalFlags:       {"flags", union},
		totalSample:      {"sample", largest},
		totalWindows:     {"windows", sums},
		totalOpen:        {"open", sums},
		totalNet:         {"net", sums},
		totalOf:          {"of", sums},
		totalWildRuns:    {"wild_runs", sums},
		totalWildPicked:  {"wild_picked", sums},
		totalWildOf:      {"wild_of", sums},
		totalWildLoaded:  {"wild_loaded", sums},
		totalWildFull:    {"wild_full", sums},
		totalWildNoPlace: {"wild_noplace", sums},
		totalPathRuns:    {"path_runs", sums},
		totalPathLost:    {"path_lost", sums},
		totalPathLabels:  {"path_labels", sums},
	}}
)

var cellKeys = []string{"api", "origin", "day"}

const bucketsPerRow = 8 // buckets in a row

func bucketColumns() (list []column) {
	for k := range bucketsPerRow {
		list = append(list, column{fmt.Sprintf("count%d", k), sums}, column{fmt.Sprintf("sum%d", k), sums},
			column{fmt.Sprintf("sq%d", k), sumLow}, column{fmt.Sprintf("sq%d_hi", k), sumHigh})
	}
	return list
}

// rowWidth is the max number of columns of a table.
const rowWidth = 4 * bucketsPerRow

// none returns the neutral value of a column.
func (c *column) none() int64 {
	if c.rule == smallest {
		return maxColumn
	}
	return 0
}

// clear sets a row to neutral values.
func (t *table) clear(row *[rowWidth]int64) {
	for i := range t.columns {
		row[i] = t.columns[i].none()
	}
}

// add merges a value into a column of a row.
func (t *table) add(row *[rowWidth]int64, i int, v int64) {
	switch t.columns[i].rule {
	case sums, sumHigh:
		row[i] = add(row[i], v)
	case sumLow:
		sum := row[i] + v
		row[i] = sum & lowMask
		row[i+1] = add(row[i+1], sum>>lowBits)
	case largest:
		row[i] = max(row[i], v)
	case smallest:
		row[i] = min(row[i], v)
	case union:
		row[i] |= v
	}
}

// In memory a row is a bit set of the columns with a non-neutral value, then these values, all as
// varints.

func (t *table) pack(b []byte, row *[rowWidth]int64) []byte {
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

// unpack merges the row at the front of b into row, and returns the rest of b.
func (t *table) unpack(row *[rowWidth]int64, b []byte) []byte {
	has, n := binary.Uvarint(b)
	b = b[n:]
	for ; has != 0; has &= has - 1 {
		v, n := binary.Uvarint(b)
		b = b[n:]
		t.add(row, bits.TrailingZeros64(has), int64(v))
	}
	return b
}

// names returns the quoted keys and columns for a statement.
func (t *table) names() string {
	names := append([]string(nil), t.keys...)
	for _, c := range t.columns {
		names = append(names, `"`+c.name+`"`)
	}
	return strings.Join(names, ", ")
}

// insert returns an upsert up to its VALUES clause or query. Rows have the keys and the columns
// from from up to, not including, to.
func (t *table) insert(from, to int) string {
	names := append([]string(nil), t.keys...)
	for _, c := range t.columns[from:to] {
		names = append(names, `"`+c.name+`"`)
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") "
}

// conflict returns the end of the upsert. leastFunc is the SQL function for the minimum.
func (t *table) conflict(leastFunc string, from, to int) string {
	var sets []string
	for i := from; i < to; i++ {
		c := &t.columns[i]
		have, more := t.name+`."`+c.name+`"`, `excluded."`+c.name+`"`
		var set string
		switch c.rule {
		case sums:
			set = fmt.Sprintf(`%s(%s, %d - %s) + %s`, leastFunc, have, int64(maxColumn), more, more)
		case sumLow:
			set = fmt.Sprintf(`(%s + %s) & %d`, have, more, int64(lowMask))
		case sumHigh:
			below := t.columns[i-1].name
			carry := fmt.Sprintf(`((%s."%s" + excluded."%s") >> %d)`, t.name, below, below, lowBits)
			set = fmt.Sprintf(`%s(%s, %d - %s - %s) + %s + %s`, leastFunc, have, int64(maxColumn), more, carry, more, carry)
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
