package clock

// FractionBits is the number of fractional bits of ticks, where less than one tick matters.
const FractionBits = 8

// Step returns the smallest step of the clock read, in ticks<<FractionBits: the greatest number
// that seven in eight of the steps between consecutive reads are multiples of, to the tick. It
// ignores the rest, since counters of 100 MHz that report ticks of a higher rate (AMD's) advance by
// one tick when read twice within a step; and it is to the tick, since the rate may be no multiple
// of 100 MHz, and steps of 24.45 ticks are 24 or 25 long. The work between reads varies, as on an
// otherwise idle processor each might take equally long.
func Step(read func() uint64) (step uint64) {
	// Another process may have the processor during a try
	for try := 0; try < 3 && step < minRounded<<FractionBits; try++ {
		step = max(step, stepOnce(read))
	}
	return step
}

func stepOnce(read func() uint64) uint64 {
	var steps [64]uint64
	n := 0
	last := read()
	for i := range uint64(len(steps)) {
		x := work
		for range i * 5 % 16 {
			x = x*6364136223846793005 + 1 // from Knuth's MMIX; any step of some cycles would do
		}
		work = x
		t := read()
		if d := t - last; int64(d) > 0 {
			steps[n] = d
			n++
		}
		last = t
	}
	return max(commonStep(steps[:n])<<FractionBits, roundedStep(steps[:n]))
}

var work uint64 // result of stepOnce's work, so that the compiler does not remove it

// commonStep returns the greatest number that seven in eight of the steps are multiples of, as far
// as two consecutive steps show it; 1 if there are no steps.
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

// roundedStep returns the greatest number, in ticks<<FractionBits, of which a multiple is less than
// a tick from each of seven in eight of the steps; 0 if that is below minRounded ticks, as every
// step is that near to multiples of a few ticks. It sorts the steps.
func roundedStep(steps []uint64) uint64 {
	for i, d := range steps {
		for ; i > 0 && steps[i-1] > d; i-- {
			steps[i] = steps[i-1]
		}
		steps[i] = d
	}
	best, tried := uint64(0), uint64(0)
	for range maxTried {
		first := tried
		for _, d := range steps { // the next different one
			if d > tried && d >= minRounded {
				first = d
				break
			}
		}
		if first == tried || first > maxRounded {
			break
		}
		tried = first
		// The step is between low and high. Each of steps that is k times as long narrows the
		// range.
		low, high, near := (first-1)<<FractionBits, (first+1)<<FractionBits, 0
		for _, d := range steps {
			d = min(d, maxRounded) << FractionBits
			k := (d + (low+high)/4) / ((low + high) / 2)
			if k == 0 {
				continue
			}
			l, h := max(low, (d-1<<FractionBits)/k), min(high, (d+1<<FractionBits)/k)
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
	minRounded = 8
	maxRounded = 1 << 20
	maxTried   = 8 // different lengths, shortest first
)

// commonDivisor returns the greatest common divisor, by Euclid's algorithm.
func commonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
