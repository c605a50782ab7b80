package bisect

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// A figure that is the same in all runs of an end is judged by one value, to the nearer end.
func TestCertain(t *testing.T) {
	for _, tt := range []struct {
		old, new, value float64
		want            Verdict
	}{
		{1000, 1100, 1000, Old},
		{1000, 1100, 1100, New},
		{1000, 1100, 1040, Old},
		{1000, 1100, 1060, New},
		{1100, 1000, 1060, Old}, // fewer, after the change
		{1100, 1000, 900, New},
		{10, 1000, 90, Old}, // by ratio
		{0, 10, 4, Old},
		{0, 10, 6, New},
		{10, 5, 0, New},
	} {
		j, err := NewJudge([]float64{tt.old, tt.old}, []float64{tt.new, tt.new}, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.Certain(tt.value); got != tt.want || !j.Exact || j.Blocks() != 1 {
			t.Errorf("from %v to %v, %v is %v, want %v; %d runs", tt.old, tt.new, tt.value, got, tt.want, j.Blocks())
		}
	}
	if _, err := NewJudge([]float64{5, 5}, []float64{5, 5}, 0.01); !errors.Is(err, ErrSame) {
		t.Errorf("equal ends: %v, want %v", err, ErrSame)
	}
}

// Of decisions by noisy runs, at most the stated part is wrong, also if the machine is slow for a
// while, or some runs are disturbed.
func TestTrialErrors(t *testing.T) {
	const trials, alpha = 2000, 0.02
	for _, tt := range []struct {
		name       string
		factor     float64                      // new over old
		run, block func(rnd *rand.Rand) float64 // logarithms of what a run, and a block, takes more
		most       float64                      // expected blocks
	}{
		{"30 %, 10 % noise", 1.3, normal(0.1), normal(0), 8},
		{"30 %, 10 % noise, slow for a while", 1.3, normal(0.1), normal(0.5), 8},
		{"10 %, 10 % noise", 1.1, normal(0.1), normal(0.1), 40},
		{"faster by 20 %", 0.8, normal(0.1), normal(0.1), 12},
		{"30 %, some runs take five times as long", 1.3, disturbed, normal(0.1), 12},
		{"twice, hardly any noise", 2, normal(0.001), normal(0.1), 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			wrong, blocks, stated := 0, 0, 0.0
			for i := 0; i < trials; {
				shift := math.Log(tt.factor)
				var old, new []float64
				for range 10 {
					together := tt.block(rnd)
					old = append(old, math.Exp(together+tt.run(rnd)))
					new = append(new, math.Exp(together+tt.run(rnd)+shift))
				}
				j, err := NewJudge(old, new, alpha)
				if err != nil {
					t.Fatal(err)
				}
				if !differ(old, new) {
					continue // such ends are not searched
				}
				i++
				isNew := i%2 == 1
				own := 0.0
				if isNew {
					own = shift
				}
				trial := j.Trial()
				for !trial.Done() {
					together := tt.block(rnd)
					trial.Add(math.Exp(together+tt.run(rnd)), math.Exp(together+tt.run(rnd)+own), math.Exp(together+tt.run(rnd)+shift))
					blocks++
				}
				v, p := trial.Verdict()
				stated += p
				if (v == New) != isNew {
					wrong++
				}
			}
			t.Logf("%.2f %% wrong, %.2f %% stated, %.1f blocks", 100*float64(wrong)/trials, 100*stated/trials, float64(blocks)/trials)
			if part := float64(wrong) / trials; part > alpha {
				t.Errorf("%v of the decisions are wrong, more than %v", part, alpha)
			}
			if mean := float64(blocks) / trials; mean > tt.most {
				t.Errorf("a decision takes %.1f blocks, more than %v", mean, tt.most)
			}
		})
	}
}

// differ reports whether the ends differ as surely as the first comparison demands, nearly.
func differ(old, new []float64) bool {
	var a, b []float64
	for i := range old {
		a, b = append(a, math.Log(old[i])), append(b, math.Log(new[i]))
	}
	mean := func(v []float64) (m, variance float64) {
		for _, x := range v {
			m += x / float64(len(v))
		}
		for _, x := range v {
			variance += (x - m) * (x - m) / float64(len(v)-1)
		}
		return m, variance
	}
	ma, va := mean(a)
	mb, vb := mean(b)
	return math.Abs(ma-mb) > 2.1*math.Sqrt((va+vb)/float64(len(old)))
}

func normal(sigma float64) func(*rand.Rand) float64 {
	return func(rnd *rand.Rand) float64 { return sigma * rnd.NormFloat64() }
}

// disturbed is the noise of runs of which one in twenty takes five times as long.
func disturbed(rnd *rand.Rand) float64 {
	if rnd.IntN(20) == 0 {
		return math.Log(5)
	}
	return 0.05 * rnd.NormFloat64()
}
