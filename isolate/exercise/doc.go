// Package exercise calls functions that nothing else calls, to measure their cost: with arguments
// made from their types, and excluding functions that touch files, the network or other processes,
// as far as a call graph shows.
//
//	plan, err := exercise.Make(ctx, exercise.Options{Dir: dir, Patterns: patterns, Functions: names})
//	for _, f := range plan.Files { … } // a test file for each package
//
// The test TestMarkgenExercise of such a file makes the calls, and prints a line about each
// function that ParseOutcomes reads. It recovers panics, and abandons a call that does not return
// within a moment.
//
// The call graph does not see calls by reflection, by assembly or cgo, or through function values
// whose origin it cannot follow. A function with such calls is called if there is no other reason
// not to.
package exercise
