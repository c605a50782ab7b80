package random

import (
	"math"
	"math/bits"
	"testing"
)

// A bit that changes in what is mixed changes half of the bits that come of it.
func TestMix(t *testing.T) {
	if Mix(0) != 0 {
		t.Error("0 does not stay")
	}
	s := Source(1)
	const rounds = 10_000
	for bit := range 64 {
		sum := 0
		for range rounds {
			x := s.Next()
			sum += bits.OnesCount64(Mix(x) ^ Mix(x^1<<bit))
		}
		if mean := float64(sum) / rounds; math.Abs(mean-32) > 0.5 {
			t.Errorf("bit %d changes %g", bit, mean)
		}
	}
}

// All bits are as often 1 as 0, and so is whether one is as the same one of the number before.
func TestNext(t *testing.T) {
	const rounds = 100_000
	var ones, same [64]int
	s := Source(1)
	before := s.Next()
	for range rounds {
		x := s.Next()
		for bit := range 64 {
			ones[bit] += int(x >> bit & 1)
			same[bit] += int(^(x ^ before) >> bit & 1)
		}
		before = x
	}
	for bit := range 64 {
		for _, n := range []int{ones[bit], same[bit]} {
			if math.Abs(float64(n)/rounds-0.5) > 0.01 {
				t.Errorf("bit %d: %d of %d are 1, %d as before", bit, ones[bit], rounds, same[bit])
			}
		}
	}
}

// Mean, mean of squares and the part above 1 are those of the exponential distribution.
func TestExponential(t *testing.T) {
	s := Source(1)
	const n = 100_000
	var sum, squares float64
	above := 0
	for range n {
		x := float64(Exponential(s.Next())) / (1 << 32)
		sum += x
		squares += x * x
		if x > 1 {
			above++
		}
	}
	mean := sum / n
	if math.Abs(mean-1) > 0.02 || math.Abs(squares/n-2) > 0.1 || math.Abs(float64(above)/n-1/math.E) > 0.01 {
		t.Errorf("mean %g, mean of squares %g, above 1 %g", mean, squares/n, float64(above)/n)
	}
	if x := Exponential(math.MaxUint64); x > 1<<20 {
		t.Errorf("least is %d", x)
	}
}

// What comes is within 2·10⁻⁸ of what package math says.
func TestExponentialExact(t *testing.T) {
	s := Source(2)
	for i := range 10_000 {
		u := s.Next()>>(i%64) | 1
		want := 64*math.Ln2 - math.Log(float64(u))
		if got := float64(Exponential(u)) / (1 << 32); math.Abs(got-want) > 2e-8 {
			t.Fatalf("of %#x comes %g, want %g", u, got, want)
		}
	}
}
