package clock

// FractionBits is how many bits of the fraction of a tick there are where less than one tick matters.
const FractionBits = 8

// Step is the smallest step of the clock that read reads, ticks<<FractionBits: the greatest number
// that seven in eight of the steps between consecutive reads are multiples of, to the tick. It is
// not all of them, since counters of 100 MHz that tell ticks of a higher rate (AMD's) go on by one
// tick where they are read twice within a step; and to the tick, since the rate may be no multiple
// of 100 MHz, and steps of 24.45 ticks are 24 or 25 long. What is done between reads varies, for a
// processor that is at nothing else may take equally long for each of them.
func Step(read func() uint64) (step uint64) {
	for try := 0; try < 3 && step < leastRounded<<FractionBits; try++ { // one may come when something else has the processor
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
			x = x*6364136223846793005 + 1 // Knuth's MMIX, as any step that takes some cycles
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

var work uint64 // what stepOnce has worked out, so that the work is not left out

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

// roundedStep is the greatest number, ticks<<FractionBits, that seven in eight of the steps are
// less than a tick from a multiple of; 0 if there is none of leastRounded ticks at least, as all
// are that near to multiples of a few. It sorts the steps.
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
		low, high, near := (first-1)<<FractionBits, (first+1)<<FractionBits, 0
		for _, d := range steps {
			d = min(d, mostRounded) << FractionBits
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
