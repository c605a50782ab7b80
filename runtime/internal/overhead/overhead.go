// Package overhead measures what a marker adds to the functions that it is in.
//
//	ticks := overhead.Added(now, &marker, plainWork, markedWork)
//
// It measures what a scope adds to functions of 4 to 22 ns, not an empty scope, as processors overlap
// a part of a scope's work with the code around it. The overlap depends on the function, so the
// result is the mean over several functions, and uses medians of small batches, since the fastest
// batches are faster than what programs see. Results are in ticks<<clock.FractionBits.
package overhead

import "github.com/markgen/markgen/runtime/internal/clock"

// A Shape is a function that computes steps steps (Chain), with or without a marker.
type Shape[M any] func(marker M, x uint64, steps int) uint64

// Chain computes steps that cannot overlap: each depends on the one before.
func Chain(x uint64, steps int) uint64 {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// works are the steps of the functions in which scopes are measured: 4 to 22 ns if a step takes 1
// ns. In shorter functions a scope costs more, as nothing overlaps with it; in longer ones its cost
// is lost in the noise.
var works = [...]int{4, 10, 16, 22}

// stepsAt returns the steps of call k of a batch that begins with works[work]. They vary, as the
// durations of a program's scopes do: a scope whose bucket differs from the previous one costs
// about 1.5 times as much.
func stepsAt(work, k int) int { return works[(work+k*7/3)%len(works)] }

// A measurement times Batch calls at once, and does so tries times.
const (
	Batch = 64
	tries = 3
)

// Batches are the durations of batches in ticks, by first work and try.
type Batches [len(works)][tries]uint64

// Over returns how much longer one call took than one of plain: the mean over the works of the
// median try, less the shortest try of plain, which other processes can only lengthen.
//
//go:norace
//go:noinline
func (b *Batches) Over(plain *Batches) (sum uint64) {
	for i, of := range b {
		middle := max(min(of[0], of[1]), min(max(of[0], of[1]), of[2]))
		base := min(plain[i][0], plain[i][1], plain[i][2])
		sum += (max(middle, base) - base) << clock.FractionBits / Batch
	}
	return sum / uint64(len(works))
}

// result is the result of the work, so that the compiler does not remove it.
var result uint64

// Measure measures batches of the shapes alternately, and calls done after each batch. Each try
// begins with another work, so that periodic disturbances affect all works.
//
//go:norace
func Measure[M any](now func() uint64, marker M, shapes []Shape[M], done func(shape, work, try int, took uint64)) {
	x := uint64(1)
	for try := range tries {
		for k := range works {
			work := (k + try*len(works)/tries) % len(works)
			for i, f := range shapes {
				a := now()
				for k := range Batch {
					x = f(marker, x, stepsAt(work, k))
				}
				done(i, work, try, now()-a)
			}
		}
	}
	result = x
}

// Added returns how much longer a call of marked takes than one of plain.
//
//go:norace
func Added[M any](now func() uint64, marker M, plain, marked Shape[M]) uint64 {
	var took [2]Batches
	Measure(now, marker, []Shape[M]{plain, marked}, func(shape, work, try int, ticks uint64) { took[shape][work][try] = ticks })
	return took[1].Over(&took[0])
}

// Alone returns the duration in ticks of a batch of Chain that begins with a work, without calls.
//
//go:norace
func Alone(now func() uint64, work int) uint64 {
	x := result
	a := now()
	for k := range Batch {
		x = Chain(x, stepsAt(work, k))
	}
	d := now() - a
	result = x
	return d
}
