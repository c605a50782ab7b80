// Package estimate makes figures of all passages of a marker from those that were recorded of it, where
// that were not all: one in so many was timed (Countdown), those in windows of time were recorded (Windows,
// Counter), or scopes that turned out to be short were counted and only now and then timed (Short).
//
//	estimate.Windows(m, n, times, sums, batches)
//
// Each scales the figures up in place, and sets what profile.Marker's CountSE and MeanSE follow from.
package estimate
