package compare

import "math"

// power is the quantile for the probability of finding a detectable change: Φ(0.84) is 0.8.
const power = 0.84

// detectable returns the change that a comparison of such values finds with probability 0.8, given
// the standard deviation within both sides: the change at which the t-statistic exceeds its value
// at the critical difference.
func detectable(values []float64, old int, critical float64) float64 {
	n, m := float64(old), float64(len(values)-old)
	share := critical * critical * (n + m) / (n * m) // of the sum of squares: the part between the sides
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
	deviation := max(minDeviation, math.Sqrt(squares/max(1, count-2)))
	return math.Expm1((t + power) * deviation * math.Sqrt(1/n+1/m))
}
