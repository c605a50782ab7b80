package profile

import (
	"math"
	"math/big"
)

// factor is how many times as long the time is that the windows are a sample of; 0: nothing was sampled.
func (s *Sampling) factor() float64 {
	if s.OpenNS == 0 {
		return 0
	}
	return max(float64(s.OfNS)/float64(s.OpenNS), 1)
}

// fromCountdown makes estimates where all passages were counted and some timed.
func (m *Marker) fromCountdown() {
	if m.Seen == 0 {
		return
	}
	m.Samples = m.Timed()
	meanVar := m.simpleVar()
	if m.Samples > 0 {
		m.scale(new(big.Rat).SetFrac(new(big.Int).SetUint64(m.Seen), new(big.Int).SetUint64(m.Samples)))
	}
	m.Count = m.Seen
	m.setMeanVar(meanVar)
}

// fromWindows makes estimates where passages were recorded in windows, of which there were so many batches.
func (m *Marker) fromWindows(s *Sampling, b *batchSums, batches float64) {
	m.Sample = s.N
	m.Samples = max(m.Count, 1) // what no window has shown is an estimate, too
	meanVar := m.simpleVar()
	if batches > 1 && b.n > 0 {
		// The windows are the sample: passages within one are alike. Variance of a
		// ratio of two sums over independent batches (Cochran, Sampling Techniques, 6.4).
		mean := b.s / b.n
		meanVar = max(meanVar, batches/(batches-1)*max(0, b.ss-2*mean*b.ns+mean*mean*b.nn)/(b.n*b.n))
	}
	m.CountVar = toUint128(s.countVar(b, batches) * varUnit)
	rat := new(big.Rat)
	if rat.SetFloat64(s.factor()*b.stands()) == nil {
		rat = new(big.Rat)
	}
	m.scale(rat)
	m.Seen = m.Count
	m.setMeanVar(meanVar)
}

// countVar is the square of the standard error of an estimate from so many batches of windows: it is that of a sum of
// independent terms, and the estimate may be off by the part of the windows that recording took besides, since what that
// costs differs from place to place. Where nothing was seen one passage may have been missed.
func (s *Sampling) countVar(b *batchSums, batches float64) float64 {
	factor := max(s.factor(), 1)
	v := b.xx
	if batches > 1 {
		v = batches / (batches - 1) * max(0, b.xx-b.x*b.x/batches)
	}
	v = max(v, 1)
	off := b.x * b.taken()
	return (v + off*off) * factor * factor
}

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
