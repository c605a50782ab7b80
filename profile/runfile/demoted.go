package runfile

import (
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
)

// demote estimates the times of demoted markers: by the CPU profile of the run or, where that has too
// few samples, by the scopes that were timed. The profile has the self times of the markers around
// them, too, in whose recorded times they are, and what markers cost.
func (r *run) demote() {
	for number, t := range r.tables {
		counts := r.demotedCounts(number, t)
		for i := range t.Markers {
			index := t.first + uint64(i)
			m := r.totals.at(index)
			if m == nil {
				continue
			}
			if i < len(counts) {
				m.Count = profile.Add64(m.Count, counts[i])
			}
			if r.off[index] == profile.Demoted {
				estimate.Demoted(m)
			}
		}
	}
	cpu := r.header.word(layout.OffCPUTime)
	if samples := r.cpuProfile.samples(); samples > 0 && cpu > 0 {
		r.sampledTimes(float64(cpu) / float64(samples))
	}
}

// enoughSamples is the number of samples from which they estimate a time better than scopes that were
// timed at the beginning of the run: its standard error is then 50 % at most.
const enoughSamples = 4

// slowdown is what markers cost, as a multiple of the time in their own code: functions around them become
// slower, too, as some are no longer inlined and others have fewer registers. In eight command-line tools
// with everything marked it was 0.9 to 3.0; with 1.3, six of them are estimated within a factor of 1.5 (bench
// -run shares).
const slowdown = 1.3

// sampledTimes estimates times by the samples of the CPU profile, of which each stands for period ns
// of processor time.
func (r *run) sampledTimes(period float64) {
	stacks := r.openMarkers()
	self := r.sampledSelf(stacks, period)
	sums := map[uint64]estimate.Times{}
	samples := map[uint64]float64{}
	for i := range stacks {
		s := &stacks[i]
		if s.markers == nil || s.cost {
			continue
		}
		ns := s.samples * period
		if m := r.totals.at(s.markers[0]); m != nil && !r.byProfile(s.markers[0]) { // more than that if it waits
			ns = max(ns, float64(m.SelfNS)*s.samples/self[s.markers[0]])
		}
		for k, index := range s.markers {
			if !r.byProfile(index) {
				continue
			}
			t := sums[index]
			t.Sum += ns
			if slices.Index(s.markers, index) == k {
				t.Total += ns
				samples[index] += s.samples
			}
			if k == 0 {
				t.Self += ns
			}
			sums[index] = t
		}
	}
	r.adopt(sums, samples, self, period)
}

// sampledSelf returns the number of samples in scopes of each marker and of none inside. It subtracts
// those of demoted markers from the self times around them, and sets what markers cost.
func (r *run) sampledSelf(stacks []openStack, period float64) map[uint64]float64 {
	self := map[uint64]float64{}
	within := map[uint64]float64{} // samples in scopes of a marker that is timed and of none inside that is
	cost := 0.0
	for i := range stacks {
		s := &stacks[i]
		if s.markers == nil {
			continue
		}
		if s.cost {
			cost += s.samples
		} else {
			self[s.markers[0]] += s.samples
		}
		for _, index := range s.markers {
			if r.off[index] != profile.Demoted {
				within[index] += s.samples
				break
			}
		}
	}
	if cost >= enoughSamples {
		r.sampledCost = cost * period * slowdown
	}
	for index, n := range within {
		if m := r.totals.at(index); m != nil && self[index] < n {
			subtractSampled(m, self[index], n, period)
		}
	}
	return self
}

// adopt gives demoted markers the times that were sampled, in so many samples in all, and in themselves.
func (r *run) adopt(sums map[uint64]estimate.Times, samples, self map[uint64]float64, period float64) {
	var fewSums, fewSelfs scarce
	cpu := float64(r.cpuProfile.samples()) * period
	others := 0.0 // self times of markers with enough samples
	for index := range r.off {
		if m := r.totals.at(index); r.byProfile(index) {
			fewSums.add(samples[index], m.SumNS())
			fewSelfs.add(self[index], m.SelfNS)
			if self[index] >= enoughSamples {
				others += sums[index].Self
			}
		}
	}
	bySum, bySelf := fewSums.factor(period, cpu), fewSelfs.factor(period, cpu-others)
	for index := range r.off {
		if !r.byProfile(index) {
			continue
		}
		m, t := r.totals.at(index), sums[index]
		if samples[index] < enoughSamples {
			t.Sum, t.Total = bySum*float64(m.SumNS()), bySum*float64(m.TotalNS())
		}
		if self[index] < enoughSamples {
			t.Self = bySelf * float64(m.SelfNS)
			t.Total = max(t.Total, t.Self)
			t.Sum = max(t.Sum, t.Total)
		}
		estimate.Sampled(m, t, max(samples[index], 1))
		if w := m.Reading(profile.Wait); w != nil {
			w.SetRunning(1)
		}
	}
}

// scarce are markers with few samples. They share the time of all their samples in proportion to the
// times that are estimated from the scopes that were timed.
type scarce struct {
	samples float64
	ns      uint64 // sum of the times estimated otherwise
}

// add adds a marker, if it has few samples.
func (s *scarce) add(samples float64, ns uint64) {
	if samples < enoughSamples {
		s.samples += samples
		s.ns = profile.Add64(s.ns, ns)
	}
}

// factor returns the factor for these times, which add up to no more than most, ns.
func (s *scarce) factor(period, most float64) float64 {
	switch {
	case s.ns == 0:
		return 1
	case s.samples < enoughSamples:
		return min(1, min(likely(s.samples, period), most)/float64(s.ns))
	}
	return s.samples * period / float64(s.ns)
}

// byProfile reports whether the times of a marker are estimated by the CPU profile: it was demoted
// because its scopes are short. With a budget, longer ones are demoted, too, and these may wait.
func (r *run) byProfile(index uint64) bool {
	m := r.totals.at(index)
	return r.off[index] == profile.Demoted && m != nil && m.Samples > 0 && r.placed(index) &&
		(r.BudgetPPM == 0 || float64(m.SelfNS) < float64(m.Timed())*shortFactor*r.Clock.WholeNS)
}

// shortFactor is the cost of timing a scope in self times of scopes that are short, by default (demote=
// in MARKGEN).
const shortFactor = 20

// likely returns the longest time in ns that n samples leave likely: if it were longer, more samples than
// n would be taken with a probability of 95 % or more.
func likely(n, period float64) float64 {
	return (n + 2*math.Sqrt(n) + 3) * period
}

// subtractSampled subtracts the time of demoted markers, and of markers' own code, from the self time of
// a marker that is timed: of n samples within, self are in itself. If most of the time is not explained
// by the samples, the rest is taken for time in which it waited. Less of it may be due to other programs
// on the processors.
func subtractSampled(m *profile.Marker, self, n, period float64) {
	if m.SelfNS == 0 {
		return
	}
	recorded := float64(m.SelfNS)
	ran := min(recorded, n*period) * (self + 0.5) / (n + 1)
	waited := recorded - likely(n, period)
	if w := m.Reading(profile.Wait); w != nil {
		waited = float64(m.WaitingNS())
		w.SetRunning(ran / (ran + waited))
	} else if waited < recorded/2 {
		waited = 0
	}
	m.SelfNS = uint64(min(recorded, waited+ran))
}
