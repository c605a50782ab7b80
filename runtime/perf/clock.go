//go:build !markgen_off

package perf

import "math/bits"

// now reads the clock in use, ticks.
//
//go:norace
func now() uint64 {
	if hot.mono {
		return uint64(nanotime())
	}
	return ticks()
}

// toNS turns a duration in ticks into ns, rounded to the nearest. hot.mult is ns per tick
// as a 32.32 fixed-point number: relative error below 2^-30 for clocks up to
// 4 GHz, no overflow below 2^64 ns.
//
//go:norace
func toNS(d uint64) uint64 {
	hi, lo := bits.Mul64(d, hot.mult)
	if hi == 0 {
		return (lo>>31 + 1) / 2
	}
	lo, carry := bits.Add64(lo, 1<<31, 0)
	return (hi+carry)<<32 | lo>>32
}

// multFor gives hot.mult for a clock of hz ticks per second.
func multFor(hz uint64) uint64 {
	if hz == 0 {
		return 1 << 32
	}
	return (1e9<<32 + hz/2) / hz
}

// An anchor is one moment on the hardware clock and on the monotonic clock.
type anchor struct{ tick, mono uint64 }

// takeAnchor reads both clocks, choosing of several tries the one that took
// least, so that a preemption in between does not count.
func takeAnchor() anchor {
	var best anchor
	width := uint64(1<<64 - 1)
	for range 8 {
		a := ticks()
		n := uint64(nanotime())
		b := ticks()
		if w := b - a; w < width {
			width, best = w, anchor{a + w/2, n}
		}
	}
	return best
}

// calibration is how long the rate of the hardware clock is observed before the
// first scope, ns, at least. The ends are known to about 15 ns each, so the rate to about 60 ppm; the
// header carries anchors of the whole run for whoever needs it finer.
const calibration = 500_000

// measureHz is the rate of the hardware clock from the anchor a to now, 0 when it
// makes no sense.
func measureHz(a anchor) uint64 {
	b := takeAnchor()
	d, ns := b.tick-a.tick, b.mono-a.mono
	hi, lo := bits.Mul64(d, 1e9)
	if d == 0 || hi >= ns {
		return 0
	}
	hz, _ := bits.Div64(hi, lo, ns)
	return hz
}

// statedHz is the rate that the processor states if it is near the one measured, else
// that: what is stated is exact, unless a hypervisor scales.
func statedHz(measured uint64) uint64 {
	if e := exactHz(); e != 0 && absDiff(e, measured) < measured/2000 {
		return e
	}
	return measured
}

func absDiff(a, b uint64) uint64 {
	if a > b {
		return a - b
	}
	return b - a
}

// toPS turns ticks into ps.
func toPS(t uint64) uint64 {
	hi, lo := bits.Mul64(t*1000, hot.mult)
	return hi<<32 | lo>>32
}

// quantum is the clock's smallest step, ticks<<costBits: the greatest number that seven in
// eight of the steps between consecutive reads are multiples of, to the tick. It is not all of
// them, since counters of 100 MHz that tell ticks of a higher rate (AMD's) go on by one
// tick where they are read twice within a step; and to the tick, since the rate may be no
// multiple of 100 MHz, and steps of 24.45 ticks are 24 or 25 long. What is done between reads varies,
// for a processor that is at nothing else may take equally long for each of them.
func quantum() (step uint64) {
	for try := 0; try < 3 && step < leastRounded<<costBits; try++ { // one may come when something else has the processor
		step = max(step, quantumOnce())
	}
	return step
}

func quantumOnce() uint64 {
	var steps [64]uint64
	n := 0
	last := now()
	for i := range uint64(len(steps)) {
		work := quantumWork
		for range i * 5 % 16 {
			work = work*6364136223846793005 + 1 // Knuth's MMIX, as any step that takes some cycles
		}
		quantumWork = work
		t := now()
		if d := t - last; int64(d) > 0 {
			steps[n] = d
			n++
		}
		last = t
	}
	return max(commonStep(steps[:n])<<costBits, roundedStep(steps[:n]))
}

var quantumWork uint64 // what quantum has worked out, so that the work is not left out

// commonStep is the greatest number that seven in eight of the steps are multiples of,
// as far as two that follow each other show it; 1 if there are none.
func commonStep(steps []uint64) uint64 {
	var all uint64
	for _, d := range steps {
		all = commonDivisor(all, d)
	}
	best := max(all, 1)
	for i := range steps {
		c := commonDivisor(steps[max(i, 1)-1], steps[i])
		if c <= best {
			continue
		}
		multiples := 0
		for _, d := range steps {
			if d%c == 0 {
				multiples++
			}
		}
		if multiples >= len(steps)-len(steps)/8 {
			best = c
		}
	}
	return best
}

// roundedStep is the greatest number, ticks<<costBits, that seven in eight of the steps are less than a
// tick from a multiple of; 0 if there is none of leastRounded ticks at least, as all are that near to multiples of
// a few. It sorts the steps.
func roundedStep(steps []uint64) uint64 {
	for i, d := range steps {
		for ; i > 0 && steps[i-1] > d; i-- {
			steps[i] = steps[i-1]
		}
		steps[i] = d
	}
	best, tried := uint64(0), uint64(0)
	for range mostTried {
		first := tried
		for _, d := range steps { // the next that is no other's equal
			if d > tried && d >= leastRounded {
				first = d
				break
			}
		}
		if first == tried || first > mostRounded {
			break
		}
		tried = first
		// It is between low and high, and each step that is of k of them makes that narrower.
		low, high, near := (first-1)<<costBits, (first+1)<<costBits, 0
		for _, d := range steps {
			d = min(d, mostRounded) << costBits
			k := (d + (low+high)/4) / ((low + high) / 2)
			if k == 0 {
				continue
			}
			l, h := max(low, (d-1<<costBits)/k), min(high, (d+1<<costBits)/k)
			if l <= h {
				low, high = l, h
				near++
			}
		}
		if near >= len(steps)-len(steps)/8 {
			best = max(best, (low+high)/2)
		}
	}
	return best
}

const (
	leastRounded = 8
	mostRounded  = 1 << 20
	mostTried    = 8 // of different steps, the shortest first
)

// commonDivisor is Euclid's.
func commonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
