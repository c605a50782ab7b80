package compare

import "math"

// power is how often a change of the size that is called detectable is found: Φ(0.84) is 0.8.
const power = 0.84

// detectable is the change that a comparison of such values would have found in four
// of five cases, the deviation within both sides being what it is: where the
// t-statistic, which grows with the difference that is tested, exceeds the one at the critical difference.
func detectable(values []float64, old int, critical float64) float64 {
	n, m := float64(old), float64(len(values)-old)
	share := critical * critical * (n + m) / (n * m) // of the squares, between the sides
	if share >= 1 {
		return math.Inf(1)
	}
	t := math.Sqrt((n + m - 2) * share / (1 - share))
	var squares, count float64
	for _, side := range [][]float64{values[:old], values[old:]} {
		near := present(robust(side))
		mean := 0.0
		for _, v := range near {
			mean += v / float64(len(near))
		}
		for _, v := range near {
			squares += (v - mean) * (v - mean)
		}
		count += float64(len(near))
	}
	deviation := max(leastDeviation, math.Sqrt(squares/max(1, count-2)))
	return math.Expm1((t + power) * deviation * math.Sqrt(1/n+1/m))
}
