package profile

import (
	"math"
	"math/big"
)

// Sums are those over the batches of windows in which something was passed, n times in a batch: the windows are the sample,
// since passages within one are alike.
type Sums struct {
	N, NN float64 // of n, and of n²
	S, SS float64 // of the sum of the n times, ns, and of its square; 0 of what has no times
	NS    float64 // of n times that sum
	X, XX float64 // of how many passages the n stand for in the windows themselves, and of its square
}

// Stands is how many passages one that was recorded stands for in the windows themselves, where recording took a part of
// the time.
func (b *Sums) Stands() float64 {
	if b.N == 0 {
		return 1
	}
	return max(b.X/b.N, 1)
}

// Taken is which part recording took of the windows in which the passages were.
func (b *Sums) Taken() float64 { return 1 - 1/b.Stands() }

// Factor is how many times as long the time is that the windows are a sample of; 0: nothing was sampled.
func Factor(s *Sampling) float64 {
	if s.OpenNS == 0 {
		return 0
	}
	return max(float64(s.OfNS)/float64(s.OpenNS), 1)
}

// Countdown makes estimates where all passages were counted and some timed.
func Countdown(m *Marker) {
	if m.Seen == 0 {
		return
	}
	m.Samples = m.Timed()
	meanVar := m.MeanVar()
	if m.Samples > 0 {
		m.Scale(Ratio(m.Seen, m.Samples))
	}
	m.Count = m.Seen
	m.SetMeanVar(meanVar)
}

// Windows makes estimates where passages were recorded in windows, of which there were so many batches.
func Windows(m *Marker, s *Sampling, b *Sums, batches float64) {
	m.Sample = s.N
	m.Samples = max(m.Count, 1) // what no window has shown is an estimate, too
	meanVar := m.MeanVar()
	if batches > 1 && b.N > 0 {
		// The windows are the sample: passages within one are alike. Variance of a
		// ratio of two sums over independent batches (Cochran, Sampling Techniques, 6.4).
		mean := b.S / b.N
		meanVar = max(meanVar, batches/(batches-1)*max(0, b.SS-2*mean*b.NS+mean*mean*b.NN)/(b.N*b.N))
	}
	m.CountVar = VarUnits(countVar(s, b, batches))
	rat := new(big.Rat)
	if rat.SetFloat64(Factor(s)*b.Stands()) == nil {
		rat = new(big.Rat)
	}
	m.Scale(rat)
	m.Seen = m.Count
	m.SetMeanVar(meanVar)
}

// countVar is the square of the standard error of an estimate from so many batches of windows: it is that of a sum of
// independent terms, and the estimate may be off by the part of the windows that recording took besides, since what that
// costs differs from place to place. Where nothing was seen one passage may have been missed.
func countVar(s *Sampling, b *Sums, batches float64) float64 {
	factor := max(Factor(s), 1)
	v := b.XX
	if batches > 1 {
		v = batches / (batches - 1) * max(0, b.XX-b.X*b.X/batches)
	}
	v = max(v, 1)
	off := b.X * b.Taken()
	return (v + off*off) * factor * factor
}

// CounterWindows adds to a counter's exact count what windows show of the rest.
func CounterWindows(m *Marker, s *Sampling, b *Sums, batches float64) {
	m.Sample = s.N
	if !m.Unsure {
		m.Samples = m.Count
	}
	m.Samples = Add64(m.Samples, uint64(min(b.N, 1<<62)))
	m.CountVar = m.CountVar.Add(VarUnits(countVar(s, b, batches)))
	m.Unsure = true
	m.Count = Add64(m.Count, uint64(min(math.Round(b.X*Factor(s)), 1<<63)))
	m.Seen = m.Count
}
