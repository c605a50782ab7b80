// Package overlay drives the go command so that it builds, runs and tests
// marked programs. No file of the user's is changed: marked text is kept in a
// cache, and go is told by its -overlay flag to read it in the place of the
// files, together with the runtime, which is a package of the standard library
// in this build only.
//
//	c, err := overlay.ParseCommandLine("build", []string{"-race", "./..."})
//	b, err := overlay.Prepare(ctx, overlay.Options{Command: c, Dir: dir})
//	code, err := b.Go(ctx)
//
// Prepare lists the packages, marks those that are wanted and writes the
// overlay file; Go, Program with RunProgram, and Test then run go. Collect makes
// a directory for what the processes measure. List is go list for other parts
// of markgen.
//
// What is promised: go's flags mean what they mean to go; what go prints of
// source that does not build is what it prints without markers; output, exit
// codes and signals pass through; the same source gives the same marked text by
// the same path, so that go's own build cache works; any number of processes
// may use one cache.
//
// With Options.Deep the build has a package runtime of Go's that keeps account of
// each goroutine: package deep makes it.
//
// What is known to differ from go is said in cover.go and test.go.
package overlay
