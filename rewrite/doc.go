// Package rewrite turns Go source into marked Go source.
//
// The way through it is one line: Load parses the files of a unit, Find reads
// the directives and finds the points, and one of two writers plants them:
//
//	u, err := rewrite.Load("example.com/parse", sources)
//	err = u.Find(rewrite.Options{All: true})
//	u.SetIDs(ids)                          // from package registry
//	files, err := u.Overlay(rewrite.Overlay{Runtime: "markgen/perf"})
//
// Overlay edits text on the original line, so that every line number stands,
// and picks for each function the form that is cheapest while it is off (see
// form.go). InPlace inserts whole lines that a person likes to read and that
// Strip takes out again. Both carry out the same plan: Find leaves in each
// function the list of its events (open this scope here, close those there),
// and the writers only decide how an event is spelt.
//
// The package works on syntax alone: nothing is type-checked, no file is read
// or written, and no process is started.
package rewrite
