package shape

import (
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
)

// A noise is how often the machine, or the program as a whole, makes calls wait: by other
// processes, interrupts, the garbage collector. It comes to every call in proportion to
// how long that runs, so it is what even quiet markers of a profile have.
type noise struct {
	// rate is how many calls take longer than 2^k ns, for each ns that calls run without
	// waiting. NaN: it is not known.
	rate [64]float64
}

const (
	// leastWait is the shortest wait that is looked for, 2^14 ns; shorter ones are not told
	// from what code does itself.
	leastWait = 14

	// farAbove is by how many octaves a wait is above nine of ten calls.
	farAbove = 3

	// leastQuiet is how many markers there must be to know what is usual, and quietRun how
	// long each must have run, ns.
	leastQuiet = 4
	quietRun   = 1e6
)

// noiseOf finds the noise of a profile: the rates below which a quarter of the markers are.
func noiseOf(p *profile.Profile) *noise {
	var rates [64][]float64
	for i := range p.Markers {
		m := withoutFirst(&p.Markers[i])
		run, k := quiet(m)
		if run*recorded(m) < quietRun || m.Taken() < steadyCalls {
			continue
		}
		for k = max(k, leastWait); k < 64; k++ {
			rates[k] = append(rates[k], float64(above(m.Buckets, uint8(k)))/run)
		}
	}
	z := new(noise)
	for k := range rates {
		z.rate[k] = math.NaN()
		if list := rates[k]; len(list) >= leastQuiet {
			slices.Sort(list)
			z.rate[k] = list[len(list)/4]
		}
	}
	return z
}

// quiet is how long all calls of a marker run without waiting, about, and from which bucket on
// a call is much longer than nine of ten.
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

// explains says whether noise makes up for the calls of a marker in bucket k and above: a
// third of them or more.
func (z *noise) explains(m *profile.Marker, k int) bool {
	if z == nil || k >= 64 || math.IsNaN(z.rate[k]) {
		return false
	}
	run, _ := quiet(m)
	return 3*z.rate[k]*run >= float64(above(m.Buckets, uint8(k)))
}
