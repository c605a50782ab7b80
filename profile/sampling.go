package profile

import (
	"math"
	"strconv"
)

// A Sampling says how the passages were chosen that were recorded, of a run in
// which not all were.
type Sampling struct {
	N       uint64 // sample=1:N
	Windows uint64 // windows in which markers were on
	OpenNS  uint64 // how long they lasted
	NetNS   uint64 // the same less what recording took from the program in them
	OfNS    uint64 // of how much time they are a sample, corrected in the same way
}

// VarUnits is a number of 0 or more in 1024ths, rounded, as CountVar and SumVar are, and the sums of Picks.
func VarUnits(v float64) Uint128 { return toUint128(v * varUnit) }

// varUnit is how many units of a variance make one: sums of whole numbers do not
// depend on their order.
const varUnit = 1024

// SetMeanVar keeps the square of the mean's standard error, when the figures are those
// that it is of. Where nothing tells it they may be all off, of which little is left when others are added.
func (m *Marker) SetMeanVar(v float64) {
	n := float64(m.Timed())
	if m.Unsure = math.IsInf(v, 0) && n > 0; m.Unsure {
		v = m.MeanNS() * m.MeanNS()
	}
	if n > 0 {
		m.SumVar = VarUnits(v * n * n)
	}
}

// MeanVar is the variance of the mean of the passages as independent samples;
// infinite if there are too few to tell.
func (m *Marker) MeanVar() float64 {
	n := float64(m.Timed())
	if n < 2 {
		return math.Inf(1)
	}
	d := m.StddevNS()
	return d * d / (n - 1)
}

// Sampled says whether figures of the marker are estimates from a sample.
func (m *Marker) Sampled() bool { return m.Samples > 0 && !m.Demoted() || m.Sample > 1 }

// Taken is how many times of the marker were really taken: all, or of a sample the sample's, and those of other runs and of before it
// was sampled. Counts and sums of times are estimates from that.
func (m *Marker) Taken() uint64 {
	n := m.Timed()
	if !m.Sampled() && !m.Demoted() {
		return n
	}
	return min(n, Add64(m.Samples, Sub64(m.Count, m.Seen)))
}

// Rate is the latest rate at which the marker was sampled, 1:N; "" where figures are no estimates. It is 1:1 where sampling
// ended before the run did.
func (m *Marker) Rate() string {
	if !m.Sampled() {
		return ""
	}
	return "1:" + strconv.FormatUint(max(m.Sample, 1), 10)
}

// CountSE is the standard error of Count; 0 where all passages were counted.
func (m *Marker) CountSE() float64 { return math.Sqrt(m.CountVar.Float64() / varUnit) }

// MeanSE is the standard error of MeanNS; ok is false where there are fewer than
// two samples to tell it from.
func (m *Marker) MeanSE() (ns float64, ok bool) {
	n := m.Timed()
	if n == 0 {
		return 0, false
	}
	ns = math.Sqrt(m.SumVar.Float64()/varUnit) / float64(n)
	switch {
	case m.Unsure && ns > unknownPart*m.MeanNS():
		return 0, false
	case ns == 0 && m.Samples > 1: // no window has shown any: those that were recorded before are all the sample there is
		ns = math.Sqrt(m.MeanVar())
	}
	return ns, m.Samples > 1 && !math.IsInf(ns, 0)
}

// unknownPart is which part of a sum of runs may be from runs of which it is not known how far off they are, for that of the sum to be known.
const unknownPart = 0.9

// addSampling adds up how far off the estimates may be.
func (sum *Marker) addSampling(m *Marker) {
	sum.SumVar = sum.SumVar.Add(m.SumVar)
	sum.CountVar = sum.CountVar.Add(m.CountVar)
	sum.Unsure = sum.Unsure || m.Unsure
	sum.Samples = Add64(sum.Samples, m.Samples)
	sum.Seen = Add64(sum.Seen, m.Seen)
	sum.Sample = max(sum.Sample, m.Sample)
}

// add adds what another run was a sample of. Runs with different rates have none
// in common.
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
