// Package deep makes, of the source of Go's package runtime, one that keeps
// account of each goroutine: what it has allocated, to the byte and object, and
// room for what markgen's runtime keeps with it. A build with that package in
// the place of Go's own is a deep build.
//
//	added, err := deep.Rewrite("go1.26.8", files)
//
// The places to be changed are found by their syntax, not by their text or line,
// and the text is changed there and nowhere else, on the line it stands on: file
// names and line numbers in traces stay as they are. What is looked for is said
// in the files of this package, one for each purpose. If a release of Go lacks one
// of the places, or has one more where memory is handed out, the error is a
// *ShapeError, which names each: such a build would be wrong, and is not made.
package deep
