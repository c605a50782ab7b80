// Package rewrite turns Go source into marked Go source.
//
// Load parses the files of a unit, Find reads the directives and finds the
// points, and one of two writers plants the markers:
//
//	u, err := rewrite.Load("example.com/parse", sources)
//	err = u.Find(rewrite.Options{All: true})
//	u.SetIDs(ids)                          // from package registry
//	files, err := u.Overlay(rewrite.Overlay{Runtime: "markgen/perf"})
//
// Overlay edits text within the original lines, so that line numbers do not
// change, and picks for each function the form that costs least while its
// markers are off (see form.go). Package inplace inserts readable lines into source
// that people keep, and takes them out again. Both carry out the same plan: Find leaves
// in each function a list of events (open this scope here, close those scopes there),
// and the writers only decide how an event is written.
//
// The package works on syntax alone: nothing is type-checked, no file is read
// or written, and no process is started.
package rewrite
