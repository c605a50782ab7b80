package profile

import (
	"math"

	"github.com/markgen/markgen/runtime/layout"
)

// tickKey names a counter: its table, and which it is there.
type tickKey struct{ table, counter uint64 }

// tick takes in what a counter counted in windows.
func (r *run) tick(b block) error {
	data, err := r.content(b, layout.TickSize)
	if err != nil {
		return err
	}
	word := func(i int) uint64 { return r.order.Uint64(data[layout.OffTickTable+8*i:]) }
	key := tickKey{word(0), word(1)}
	x, xx := math.Float64frombits(word(3)), math.Float64frombits(word(4))
	if len(r.ticks[key]) == mostPeriods || !possible(x) || !possible(xx) {
		return r.damaged(b.offset, "counter %d of table %d in windows, which can't be; it is left out", key.counter, key.table)
	}
	r.ticks[key] = append(r.ticks[key], batchSums{
		n: float64(word(2)), x: x, xx: xx,
		since: r.baselineAt(data[layout.OffTickSince:]), until: r.baselineAt(data[layout.OffTickUntil:]),
	})
	return nil
}

// mostPeriods is how many rates a counter may have been sampled at, and more than the runtime tells apart.
const mostPeriods = 1000

// fromTicks adds to a counter's exact count what windows show of the rest.
func (m *Marker) fromTicks(s *Sampling, b *batchSums, batches float64) {
	m.Sample = s.N
	if !m.Unsure {
		m.Samples = m.Count
	}
	m.Samples = add64(m.Samples, uint64(min(b.n, 1<<62)))
	m.CountVar = m.CountVar.Add(toUint128(s.countVar(b, batches) * varUnit))
	m.Unsure = true
	m.Count = add64(m.Count, uint64(min(math.Round(b.x*s.factor()), 1<<63)))
	m.Seen = m.Count
}
