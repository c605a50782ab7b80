package estimate

import (
	"math/big"

	"github.com/markgen/markgen/profile"
)

// Sums are sums over the batches of windows with calls, where n is the number of calls in a batch.
// Batches are the sample, because calls within a window are similar.
type Sums struct {
	N, NN float64 // Σn, Σn²
	S, SS float64 // Σt, Σt², with t the sum of the n times, ns; 0 without times
	NS    float64 // Σn·t
	W     float64 // Σw, with w = n·N and 1:N the sampling rate
	X, XX float64 // Σx, Σx², with x = w times the length of the windows divided by what recording left of it
}

// RecordingShare returns the fraction of the windows with calls that recording took.
func (b *Sums) RecordingShare() float64 {
	if b.X <= b.W {
		return 0
	}
	return 1 - b.W/b.X
}

// Like returns the sums for n other calls in the same windows.
func (b *Sums) Like(n float64) *Sums {
	part := n / max(b.N, 1)
	return &Sums{N: n, W: b.W * part, X: b.X * part, XX: b.X * part * b.X * part}
}

// Countdown estimates data if all calls were counted and some were timed.
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

// Windows estimates data if calls were recorded in windows at 1:n; batches is the number of batches
// of windows. times is the duration that the windows are a sample of, divided by the duration that
// they stand for, n times their own.
func Windows(m *profile.Marker, n uint64, times float64, b *Sums, batches float64) {
	m.Sample = n
	m.Samples = max(m.Count, 1) // an estimate even if no window had a call
	meanVar := m.MeanVar()
	if batches > 1 && b.N > 0 {
		// The batches are the sample: calls within a window are similar. Variance of a ratio of two
		// sums over independent batches (Cochran, Sampling Techniques, 6.4).
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

// countVar returns the variance of the count estimated from that many batches of windows: the
// variance of a sum of independent terms, plus the square of the part of the estimate that makes up
// for recording time, because the cost of recording varies from place to place. The result is at
// least that of one missed call in n.
func countVar(n uint64, times float64, b *Sums, batches float64) float64 {
	v := b.XX
	if batches > 1 {
		v = batches / (batches - 1) * max(0, b.XX-b.X*b.X/batches)
	}
	v = max(v, float64(n)*float64(n))
	off := b.X * b.RecordingShare()
	return (v + off*off) * times * times
}
