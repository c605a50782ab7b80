package runfile

import (
	"math"

	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
)

// A counterKey identifies a counter by the numbers of its table and of the counter in it.
type counterKey struct{ table, counter uint64 }

// counterWindow reads the block with a counter's sums over sampling windows.
func (r *run) counterWindow(b block) error {
	data, err := r.content(b, layout.TickSize)
	if err != nil {
		return err
	}
	word := func(i int) uint64 { return r.order.Uint64(data[layout.OffTickTable+8*i:]) }
	key := counterKey{word(0), word(1)}
	w, x, xx := math.Float64frombits(word(3)), math.Float64frombits(word(4)), math.Float64frombits(word(5))
	if !possible(w) || !possible(x) || !possible(xx) {
		return r.damaged(b.offset, "counter %d of table %d in windows, which can't be; it is left out", key.counter, key.table)
	}
	r.counterWindows[key] = batchSums{
		Sums:  estimate.Sums{N: float64(word(2)), W: w, X: x, XX: xx},
		since: r.baselineAt(data[layout.OffTickSince:]),
	}
	return nil
}
