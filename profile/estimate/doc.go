// Package estimate computes data for all calls of a marker from a recorded part: one in so many was
// timed (Countdown), calls in time windows were recorded (Windows), or scopes that turned
// out to be short were only counted from some time on (Demoted, Sampled).
//
//	estimate.Windows(m, n, times, sums, batches)
//
// Each function scales the marker's data in place, and sets the basis of profile.Marker's CountSE
// and MeanSE.
package estimate
