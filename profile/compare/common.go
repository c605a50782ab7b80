package compare

import "math"

// leastMarkers is how many markers have to have a figure for what they share to be told
// from what is each one's own.
const leastMarkers = 20

// common returns what all markers share of a figure, for each run: the median over markers of how
// far the run is from the marker's median over all runs. Those that may be others on the two sides
// say nothing of that. It is nil if the markers are too few.
func common(rows []row, figure int) []float64 {
	var complete []row
	for _, r := range rows {
		if r.figure == figure && !r.series.guess && len(present(r.log)) == len(r.log) {
			complete = append(complete, r)
		}
	}
	if len(complete) < leastMarkers {
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

// mostFollowed bounds how much of what is shared a marker can follow: twice as much.
const mostFollowed = 2

// without takes off as much of the shared part as the values follow: their regression
// on it, outlying ones brought back for that.
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
	slope := max(0, min(mostFollowed, xy/xx))
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v - slope*shared[i]
	}
	return out
}
