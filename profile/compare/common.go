package compare

import "math"

// minMarkers is the number of markers required to separate what all markers share from what is
// specific to each.
const minMarkers = 20

// common returns the shared part of a figure, for each run: the median over markers of the run's
// distance from the marker's median over all runs. It ignores markers that may differ between the
// sides (guess). It returns nil if there are too few markers.
func common(rows []row, figure int) []float64 {
	var complete []row
	for _, r := range rows {
		if r.figure == figure && !r.series.guess && len(present(r.log)) == len(r.log) {
			complete = append(complete, r)
		}
	}
	if len(complete) < minMarkers {
		return nil
	}
	centres := make([]float64, len(complete))
	for i, r := range complete {
		centres[i] = median(present(r.log))
	}
	shared := make([]float64, len(complete[0].log))
	off := make([]float64, len(complete))
	for run := range shared {
		for i, r := range complete {
			off[i] = r.log[run] - centres[i]
		}
		shared[run] = median(off)
	}
	centre := median(present(shared))
	for run := range shared {
		shared[run] -= centre
	}
	return shared
}

// maxSlope limits the regression coefficient of a marker on the shared part.
const maxSlope = 2

// without subtracts the shared part from the values, times their regression coefficient on it. The
// regression uses values with outliers clipped.
func without(values, shared []float64) []float64 {
	near := robust(values)
	var xy, xx float64
	for i, v := range near {
		if !math.IsNaN(v) {
			xy += v * shared[i]
			xx += shared[i] * shared[i]
		}
	}
	if xx == 0 {
		return values
	}
	slope := max(0, min(maxSlope, xy/xx))
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v - slope*shared[i]
	}
	return out
}
