// Package exercise makes calls of functions that nothing else calls, to see what they
// cost: with arguments made from their types, and never of what touches files, the network
// or other processes, as far as a call graph shows.
//
//	plan, err := exercise.Make(ctx, exercise.Options{Dir: dir, Patterns: patterns, Functions: names})
//	for _, f := range plan.Files { … } // a test file for each package
//
// The test TestMarkgenExercise of such a file makes the calls, and prints a line that
// ParseOutcome reads about each function. A call that panics is recovered, one that does
// not return is left after a moment.
//
// What it does not see: calls by reflection, by assembly or cgo, and by function values
// whose origin the call graph does not follow. Such calls are made if nothing else tells
// against it.
package exercise
