// Package deep rewrites the source of Go's package runtime so that it counts the allocations of
// each goroutine, to the byte and object, and reserves space for per-goroutine data of markgen's
// runtime. A build that uses this package instead of Go's own is a deep build.
//
//	changed, err := deep.Rewrite("go1.26.8", files)
//
// The places to be changed are found by their syntax, not by their text or line, and only those
// places are changed, within their line: file names and line numbers in stack traces stay the same.
// The files of this package, one for each purpose, say what they look for. If a release of Go lacks
// one of the places, or has an additional one that allocates memory, the error is a *ShapeError
// that names each: the build would be wrong, and is not made.
package deep
