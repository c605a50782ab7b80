package profile

import (
	"math"
	"strconv"
)

// A Sampling describes the sampling windows of a run that did not record all calls.
type Sampling struct {
	N       uint64 // sample=1:N
	Windows uint64 // number of windows in which markers were on
	OpenNS  uint64 // total duration of the windows
	NetNS   uint64 // OpenNS without the time that recording took
	OfNS    uint64 // time that the windows are a sample of, without the time that recording took
}

// VarUnits converts v ≥ 0 to 1024ths, rounded: the unit of CountVar, SumVar and the sums of Picks.
func VarUnits(v float64) Uint128 { return toUint128(v * varUnit) }

// varUnit is the number of units in 1. Variances are integers so that their sums do not depend on
// the order of addition.
const varUnit = 1024

// SetMeanVar sets the variance of the mean time, v, once count and times are final. If v is
// infinite (unknown), it assumes an error of 100 %, whose weight in a sum with other runs is small.
func (m *Marker) SetMeanVar(v float64) {
	n := float64(m.Timed())
	if m.Unsure = math.IsInf(v, 0) && n > 0; m.Unsure {
		v = m.MeanNS() * m.MeanNS()
	}
	if n > 0 {
		m.SumVar = VarUnits(v * n * n)
	}
}

// MeanVar returns the variance of the mean time, assuming independent samples; +Inf if there are
// fewer than two.
func (m *Marker) MeanVar() float64 {
	n := float64(m.Timed())
	if n < 2 {
		return math.Inf(1)
	}
	d := m.StddevNS()
	return d * d / (n - 1)
}

// Sampled reports whether the marker's data are estimates from a sample.
func (m *Marker) Sampled() bool { return m.Samples > 0 && !m.Demoted() || m.Sample > 1 }

// Measured returns the number of times that were actually measured. For a sampled marker these are
// the times in the sample, plus those of runs and periods without sampling; counts and sums are
// estimates.
func (m *Marker) Measured() uint64 {
	n := m.Timed()
	if !m.Sampled() && !m.Demoted() {
		return n
	}
	return min(n, Add64(m.Samples, Sub64(m.Count, m.Seen)))
}

// Rate returns the latest sampling rate of the marker as 1:N, or "" if its data are exact. It is
// 1:1 if sampling ended before the run did.
func (m *Marker) Rate() string {
	if !m.Sampled() {
		return ""
	}
	return "1:" + strconv.FormatUint(max(m.Sample, 1), 10)
}

// CountSE returns the standard error of Count; 0 if all calls were counted.
func (m *Marker) CountSE() float64 { return math.Sqrt(m.CountVar.Float64() / varUnit) }

// MeanSE returns the standard error of MeanNS. ok is false if there are fewer than two samples.
func (m *Marker) MeanSE() (ns float64, ok bool) {
	n := m.Timed()
	if n == 0 {
		return 0, false
	}
	ns = math.Sqrt(m.SumVar.Float64()/varUnit) / float64(n)
	switch {
	case m.Unsure && ns > unknownPart*m.MeanNS():
		return 0, false
	case ns == 0 && m.Samples > 1: // no window recorded a call: use the calls recorded before
		ns = math.Sqrt(m.MeanVar())
	}
	return ns, m.Samples > 1 && !math.IsInf(ns, 0)
}

// unknownPart is the largest error, relative to the mean, at which the standard error of a sum
// counts as known although some of its runs are Unsure.
const unknownPart = 0.9

// addSampling adds the variances and sample sizes of m.
func (sum *Marker) addSampling(m *Marker) {
	sum.SumVar = sum.SumVar.Add(m.SumVar)
	sum.CountVar = sum.CountVar.Add(m.CountVar)
	sum.Unsure = sum.Unsure || m.Unsure
	sum.Samples = Add64(sum.Samples, m.Samples)
	sum.Seen = Add64(sum.Seen, m.Seen)
	sum.Sample = max(sum.Sample, m.Sample)
}

// add returns the sum of s and t, either of which may be nil. N is the larger one.
func (s *Sampling) add(t *Sampling) *Sampling {
	switch {
	case s == nil && t == nil:
		return nil
	case s == nil:
		sum := *t
		return &sum
	case t == nil:
		return s
	}
	sum := *s
	sum.N = max(s.N, t.N)
	sum.Windows = Add64(s.Windows, t.Windows)
	sum.OpenNS = Add64(s.OpenNS, t.OpenNS)
	sum.NetNS = Add64(s.NetNS, t.NetNS)
	sum.OfNS = Add64(s.OfNS, t.OfNS)
	return &sum
}
