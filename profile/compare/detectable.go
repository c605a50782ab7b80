package compare

import "math"

// power is the quantile of the normal distribution for the probability of finding a detectable change:
// Φ(0.84) is 0.8.
const power = 0.84

// detectable returns the relative change that a comparison of two sides finds with probability 0.8 if
// their values vary as these do: 0.1 for 10 %. Values are logarithms of times, the first nOld of the old
// side. critical is the least difference of the means that is significant, over the square root of the
// total sum of squares. The t-statistic at that difference, plus power, is the number of standard errors
// to find.
func detectable(values []float64, nOld int, critical float64) float64 {
	n, m := float64(nOld), float64(len(values)-nOld)
	share := critical * critical * (n + m) / (n * m) // of the sum of squares that is between the sides
	if share >= 1 {
		return math.Inf(1)
	}
	t := math.Sqrt((n + m - 2) * share / (1 - share))
	var squares, count float64
	for _, side := range [][]float64{values[:nOld], values[nOld:]} {
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
