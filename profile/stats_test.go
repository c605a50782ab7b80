package profile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
)

// distributions are ten distributions of times, as functions of a random number.
var distributions = []struct {
	name string
	draw func(r *rand.Rand) float64 // ns
}{
	{"constant", func(*rand.Rand) float64 { return 777 }},
	{"two values in a bucket", func(r *rand.Rand) float64 { return []float64{520, 1020}[r.IntN(2)] }},
	{"uniform", func(r *rand.Rand) float64 { return 1000 * r.Float64() }},
	{"uniform in a bucket", func(r *rand.Rand) float64 { return 1024 + 1024*r.Float64() }},
	{"normal", func(r *rand.Rand) float64 { return 5000 + 300*r.NormFloat64() }},
	{"exponential", func(r *rand.Rand) float64 { return 2000 * r.ExpFloat64() }},
	{"log-normal", func(r *rand.Rand) float64 { return math.Exp(8 + r.NormFloat64()) }},
	{"heavy tail", func(r *rand.Rand) float64 { return 100 / math.Pow(1-r.Float64(), 1/1.2) }},
	{"fast path and slow path", func(r *rand.Rand) float64 {
		if r.IntN(50) == 0 {
			return 1e6 * (1 + r.Float64())
		}
		return 80 + 10*r.Float64()
	}},
	{"few nanoseconds", func(r *rand.Rand) float64 { return float64(r.IntN(4)) }},
}

// The exact quantile is always within the bounds, and the estimate is within a factor of two of it,
// as documented. For smooth distributions it is much closer.
func TestQuantile(t *testing.T) {
	quantiles := []float64{0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1}
	smooth := map[string]float64{ // largest relative error, in large samples
		"constant": 1e-9, "uniform": 0.05, "uniform in a bucket": 0.02, "normal": 0.05, "exponential": 0.06, "log-normal": 0.06, "heavy tail": 0.06,
	}
	for _, d := range distributions {
		t.Run(d.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 10, 101, 20_000} {
				rnd := rand.New(rand.NewPCG(7, uint64(n)))
				times := make([]uint64, n)
				for i := range times {
					times[i] = uint64(max(0, d.draw(rnd)))
				}
				m := profiletest.Timed(t, times)
				slices.Sort(times)
				for _, q := range quantiles {
					exact := float64(times[max(1, int(math.Ceil(q*float64(n))))-1])
					est := m.QuantileNS(q)
					lo, hi := m.QuantileBounds(q)
					if exact < lo || exact > hi || est < lo || est > hi {
						t.Errorf("n=%d q=%v: exact %v and estimate %v, bounds [%v, %v]", n, q, exact, est, lo, hi)
					}
					if exact > 1 && (est <= exact/2 || est >= exact*2) || math.Abs(est-exact) > max(1, exact) {
						t.Errorf("n=%d q=%v: estimate %v for %v", n, q, est, exact)
					}
					if most, ok := smooth[d.name]; ok && n == 20_000 && 0.01 <= q && q <= 0.99 {
						if off := math.Abs(est/exact - 1); off > most {
							t.Errorf("q=%v: estimate %.1f for %.0f is off by %.1f %%", q, est, exact, 100*off)
						}
					}
				}
			}
		})
	}
}

// Quantiles of a single time, and of equal times, are exact.
func TestQuantileExact(t *testing.T) {
	for _, times := range [][]uint64{{0}, {1}, {12345}, {7, 7, 7}, {900, 900}, {1 << 40}} {
		m := profiletest.Timed(t, times)
		for _, q := range []float64{0, 0.5, 0.99, 1, -1, 2} {
			if got := m.QuantileNS(q); math.Abs(got-float64(times[0])) > 1e-9*float64(times[0]) {
				t.Errorf("%v: the %v-quantile is %v", times, q, got)
			}
		}
	}
	none := profiletest.Timed(t, nil)
	if lo, hi := none.QuantileBounds(0.5); none.QuantileNS(0.5) != 0 || lo != 0 || hi != 0 {
		t.Error("a quantile of nothing")
	}
}

// Quantiles are monotonic.
func TestQuantileOrder(t *testing.T) {
	for _, d := range distributions {
		rnd := rand.New(rand.NewPCG(8, 8))
		times := make([]uint64, 500)
		for i := range times {
			times[i] = uint64(max(0, d.draw(rnd)))
		}
		m := profiletest.Timed(t, times)
		last := m.QuantileNS(0)
		for q := 0.0; q <= 1; q += 1.0 / 512 {
			if v := m.QuantileNS(q); v < last {
				t.Fatalf("%s: %v at %v after %v", d.name, v, q, last)
			} else {
				last = v
			}
		}
	}
}

func TestMoments(t *testing.T) {
	for _, d := range distributions {
		for _, n := range []int{1, 2, 1000} {
			t.Run(fmt.Sprint(d.name, n), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(9, uint64(n)))
				times := make([]uint64, n)
				sum := 0.0
				for i := range times {
					times[i] = uint64(max(0, d.draw(rnd)))
					sum += float64(times[i])
				}
				mean, squares := sum/float64(n), 0.0
				for _, x := range times {
					squares += (float64(x) - mean) * (float64(x) - mean)
				}
				dev := math.Sqrt(squares / float64(n))
				m := profiletest.Timed(t, times)
				if off := math.Abs(m.MeanNS() - mean); off > 1e-9*mean {
					t.Errorf("mean %v, want %v", m.MeanNS(), mean)
				}
				if off := math.Abs(m.StddevNS() - dev); off > 1e-9*mean {
					t.Errorf("deviation %v, want %v", m.StddevNS(), dev)
				}
				if m.MinNS != slices.Min(times) || m.MaxNS != slices.Max(times) {
					t.Errorf("from %d to %d, want %d to %d", m.MinNS, m.MaxNS, slices.Min(times), slices.Max(times))
				}
			})
		}
	}
}

// Times of days that differ by nanoseconds: in floating point the difference of their squares would
// be lost.
func TestDeviationOfLongTimes(t *testing.T) {
	const days = 5 * 24 * 3600 * 1e9
	m := profiletest.Timed(t, []uint64{days - 3, days, days + 3})
	if want := math.Sqrt(6); math.Abs(m.StddevNS()-want) > 1e-9 {
		t.Errorf("%v, want %v", m.StddevNS(), want)
	}
}
