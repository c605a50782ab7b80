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
	word := func(offset int) uint64 { return r.order.Uint64(data[offset:]) }
	key := tickKey{word(layout.OffTickTable), word(layout.OffTickTable + 8)}
	nn := math.Float64frombits(word(layout.OffTickCount + 8))
	if len(r.ticks[key]) == mostPeriods || math.IsNaN(nn) || nn < 0 || nn > 1e300 {
		return r.damaged(b.offset, "counter %d of table %d in windows, which can't be; it is left out", key.counter, key.table)
	}
	s := batchSums{
		n: float64(word(layout.OffTickCount)), nn: nn,
		since: r.baselineAt(data[layout.OffTickSince:]), until: r.baselineAt(data[layout.OffTickUntil:]),
	}
	s.passed, s.slower = r.passedAt(data[layout.OffTickPassed:])
	s.before = pace{word(layout.OffTickPace), word(layout.OffTickPace + 8), word(layout.OffTickPace + 16)}
	r.ticks[key] = append(r.ticks[key], s)
	return nil
}

// mostPeriods is how many rates a counter may have been sampled at, and more than the runtime tells apart.
const mostPeriods = 1000

// fromTicks adds to a counter's exact count what windows show of the rest, of passages of which so many come together.
func (m *Marker) fromTicks(s *windows, read float64, b batchSums, batches, together float64) {
	m.Sample = s.N
	if !m.unsure {
		m.Samples = m.Count
	}
	m.Samples = add64(m.Samples, uint64(min(b.n, 1<<62)))
	m.countVar = m.countVar.Add(toUint128(s.countVar(b.n, b.nn, batches, read, together) * varUnit))
	m.unsure = true
	m.Count = add64(m.Count, uint64(min(math.Round(b.n*s.factor()), 1<<63)))
	m.seen = m.Count
}

// counterTogether is together for what has been counted so often before it was sampled. No scope was recorded of it, but perhaps around it.
func (r *run) counterTogether(s *windows, b batchSums, n uint64) float64 {
	if b.before.ticks != 0 && b.before.n != 0 {
		return s.together(b.before, b.n, float64(r.Clock.Hz), 0, 0)
	}
	before := duration(0, b.since.profiled, r.Clock.Hz)
	if s.factor() != 0 || before == 0 {
		return 1
	}
	return s.unseen(float64(n) / float64(before))
}
