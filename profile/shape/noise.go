package shape

import (
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
)

// A noise is how often calls are delayed by the machine or by the program as a whole: other
// processes, interrupts, the garbage collector. Such delays hit every call in proportion to its
// running time, so they are estimated from the least delayed markers of a profile.
type noise struct {
	// rate[k] is the number of calls longer than 2^k ns per ns of undelayed running time; NaN if
	// unknown.
	rate [64]float64
}

const (
	// minDelayLog2 is log2 of the shortest delay considered, in ns; shorter ones can't be told from
	// the code's own work.
	minDelayLog2 = 14

	// farAbove is by how many octaves a delayed call exceeds the 90th percentile.
	farAbove = 3

	// minQuiet is the minimum number of markers for an estimate, and quietRun the minimum running
	// time of each, in ns.
	minQuiet = 4
	quietRun = 1e6
)

// noiseOf estimates the noise of a profile: the lower quartile of its markers' rates.
func noiseOf(p *profile.Profile) *noise {
	var rates [64][]float64
	for i := range p.Markers {
		m := withoutFirst(&p.Markers[i])
		run, k := quiet(m)
		if run*measuredFraction(m) < quietRun || m.Measured() < steadyCalls {
			continue
		}
		for k = max(k, minDelayLog2); k < 64; k++ {
			rates[k] = append(rates[k], float64(above(m.Buckets, uint8(k)))/run)
		}
	}
	z := new(noise)
	for k := range rates {
		z.rate[k] = math.NaN()
		if list := rates[k]; len(list) >= minQuiet {
			slices.Sort(list)
			z.rate[k] = list[len(list)/4]
		}
	}
	return z
}

// quiet returns roughly how long all calls of a marker run undelayed, in ns, and the first bucket
// that counts as delayed: farAbove octaves above the 90th percentile.
func quiet(m *profile.Marker) (ns float64, k int) {
	if m.Timed() == 0 {
		return 0, 64
	}
	most := m.QuantileNS(0.9)
	k = int(math.Log2(max(most, 1))) + 1 + farAbove
	for _, b := range m.Buckets {
		if float64(b.LoNS()) > most {
			break
		}
		ns += float64(b.SumNS)
	}
	return ns, min(k, 64)
}

// explains reports whether noise accounts for at least a third of a marker's calls in bucket k and
// above.
func (z *noise) explains(m *profile.Marker, k int) bool {
	if z == nil || k >= 64 || math.IsNaN(z.rate[k]) {
		return false
	}
	run, _ := quiet(m)
	return 3*z.rate[k]*run >= float64(above(m.Buckets, uint8(k)))
}
