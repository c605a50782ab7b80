package profile_test

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/tier"
)

// spreads are the distributions for which docs/reference/report.md lists the errors of percentiles.
var spreads = []struct {
	name string
	draw func(r *rand.Rand) float64 // a time of about 1
}{
	{"constant", func(*rand.Rand) float64 { return 1 }},
	{"uniform", func(r *rand.Rand) float64 { return 0.2 + 2*r.Float64() }},
	{"normal", func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }},
	{"log-normal", func(r *rand.Rand) float64 { return math.Exp(0.5 * r.NormFloat64()) }},
	{"exponential", func(r *rand.Rand) float64 { return r.ExpFloat64() }},
	{"Pareto", func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -1/1.5) }},
	{"bimodal", func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 50 * (1 + 0.1*r.NormFloat64())
		}
		return 1 + 0.05*r.NormFloat64()
	}},
	{"trimodal", func(r *rand.Rand) float64 {
		return []float64{1, 1.4, 9}[r.IntN(3)] * (1 + 0.04*r.NormFloat64())
	}},
	{"heavy-tailed mixture", func(r *rand.Rand) float64 {
		if r.IntN(20) == 0 {
			return math.Pow(1-r.Float64(), -1/1.1)
		}
		return math.Exp(0.2 * r.NormFloat64())
	}},
	{"steps", func(r *rand.Rand) float64 { return 1 + float64(r.IntN(6))/4 }},
}

// For ten distributions, samples of any size, and any position in the buckets, the exact percentile
// and the estimate are within the bounds, and the error of the estimate is as documented.
func TestQuantileErrors(t *testing.T) {
	told := toldErrors(t)
	quantiles := []float64{0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1}
	for _, d := range spreads {
		t.Run(d.name, func(t *testing.T) {
			sizes := []int{1, 2, 3, 10, 100, 1000, 10_000, 100_000, 1_000_000}
			if !tier.InCorpus() {
				sizes = sizes[:7]
			}
			var errors []float64 // of p1 to p99, in samples of at least a thousand times
			for _, n := range sizes {
				trials := min(12, 2_000_000/n)
				for trial := range trials {
					rnd := rand.New(rand.NewPCG(uint64(n), uint64(trial)))
					scale := 1000 * math.Exp2(float64(trial)/float64(trials)*3) // over three buckets
					times := make([]uint64, n)
					for i := range times {
						times[i] = uint64(max(0, scale*d.draw(rnd)))
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
						if (q == 0 || q == 1) && est != exact {
							t.Errorf("n=%d q=%v: %v for %v", n, q, est, exact)
						}
						if n >= 1000 && 0.01 <= q && q <= 0.99 {
							errors = append(errors, 100*math.Abs(est-exact)/max(exact, 1))
						}
					}
				}
			}
			tier.Corpus(t) // docs/reference/report.md describes all sizes
			slices.Sort(errors)
			sum := 0.0
			for _, e := range errors {
				sum += e
			}
			got := [3]float64{sum / float64(len(errors)), errors[len(errors)*95/100], errors[len(errors)-1]}
			for i, name := range []string{"the mean error", "that of 95 in 100", "the largest"} {
				if want := told[d.name][i]; math.Abs(got[i]-want) > 0.06 {
					t.Errorf("%s is %.1f %%, and docs/reference/report.md says %v %%", name, got[i], want)
				}
			}
		})
	}
}

// toldErrors are the rows of the table in docs/reference/report.md, in percent.
func toldErrors(t *testing.T) map[string][3]float64 {
	page, err := os.ReadFile("../docs/reference/report.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][3]float64{}
	for _, row := range regexp.MustCompile(`(?m)^([^|,\n]+)[^|\n]*\|([0-9.]+) %\|([0-9.]+) %\|([0-9.]+) %$`).FindAllStringSubmatch(string(page), -1) {
		var figures [3]float64
		for i := range figures {
			figures[i], _ = strconv.ParseFloat(row[i+2], 64)
		}
		told[strings.TrimSpace(row[1])] = figures
	}
	if len(told) != len(spreads) {
		t.Errorf("docs/reference/report.md tells of %d distributions, and there are %d", len(told), len(spreads))
	}
	return told
}
