package estimate

import (
	"math"
	"math/big"

	"github.com/markgen/markgen/profile"
)

// Sums are those over the batches of windows in which something was passed, n times in a batch: the windows are the sample,
// since passages within one are alike.
type Sums struct {
	N, NN float64 // of n, and of n²
	S, SS float64 // of the sum of the n times, ns, and of its square; 0 of what has no times
	NS    float64 // of n times that sum
	W     float64 // of n times the rate, N of 1:N
	X, XX float64 // of that times how many times as long windows were as what recording left of them, and of its square
}

// Taken is which part recording took of the windows in which the passages were.
func (b *Sums) Taken() float64 {
	if b.X <= b.W {
		return 0
	}
	return 1 - b.W/b.X
}

// Like are the sums of n other passages in the same windows.
func (b *Sums) Like(n float64) *Sums {
	part := n / max(b.N, 1)
	return &Sums{N: n, W: b.W * part, X: b.X * part, XX: b.X * part * b.X * part}
}

// Countdown makes estimates where all passages were counted and some timed.
func Countdown(m *profile.Marker) {
	if m.Seen == 0 {
		return
	}
	m.Samples = m.Timed()
	meanVar := m.MeanVar()
	if m.Samples > 0 {
		m.Scale(profile.Ratio(m.Seen, m.Samples))
	}
	m.Count = m.Seen
	m.SetMeanVar(meanVar)
}

// Windows makes estimates where passages were recorded in windows at 1:n, of which there were so many batches. The time that they are a
// sample of is so many times as long as that for which they stand, each for n times its length.
func Windows(m *profile.Marker, n uint64, times float64, b *Sums, batches float64) {
	m.Sample = n
	m.Samples = max(m.Count, 1) // what no window has shown is an estimate, too
	meanVar := m.MeanVar()
	if batches > 1 && b.N > 0 {
		// The windows are the sample: passages within one are alike. Variance of a
		// ratio of two sums over independent batches (Cochran, Sampling Techniques, 6.4).
		mean := b.S / b.N
		meanVar = max(meanVar, batches/(batches-1)*max(0, b.SS-2*mean*b.NS+mean*mean*b.NN)/(b.N*b.N))
	}
	m.CountVar = profile.VarUnits(countVar(n, times, b, batches))
	rat := new(big.Rat)
	if b.N == 0 || rat.SetFloat64(max(times*b.X/b.N, 1)) == nil {
		rat.SetInt64(1)
	}
	m.Scale(rat)
	m.Seen = m.Count
	m.SetMeanVar(meanVar)
}

// countVar is the square of the standard error of an estimate from so many batches of windows: it is that of a sum of
// independent terms, and the estimate may be off by the part of the windows that recording took besides, since what that
// costs differs from place to place. Where nothing was seen one passage in n may have been missed.
func countVar(n uint64, times float64, b *Sums, batches float64) float64 {
	v := b.XX
	if batches > 1 {
		v = batches / (batches - 1) * max(0, b.XX-b.X*b.X/batches)
	}
	v = max(v, float64(n)*float64(n))
	off := b.X * b.Taken()
	return (v + off*off) * times * times
}

// Counter adds to a counter's exact count what windows show of the rest, as in [Windows].
func Counter(m *profile.Marker, n uint64, times float64, b *Sums, batches float64) {
	m.Sample = n
	if !m.Unsure {
		m.Samples = m.Count
	}
	m.Samples = profile.Add64(m.Samples, uint64(min(b.N, 1<<62)))
	m.CountVar = m.CountVar.Add(profile.VarUnits(countVar(n, times, b, batches)))
	m.Unsure = true
	m.Count = profile.Add64(m.Count, uint64(min(math.Round(b.X*times), 1<<63)))
	m.Seen = m.Count
}
