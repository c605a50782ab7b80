// Package overlay drives the go command so that it builds, runs and tests marked programs. No file
// of the user's is changed: marked files are kept in a cache, and go's -overlay flag makes go read
// them instead of the originals, together with the runtime, which is a package of the standard
// library in this build only.
//
//	c, err := overlay.ParseCommandLine("build", []string{"-race", "./..."})
//	b, err := overlay.Prepare(ctx, overlay.Options{Command: c, Dir: dir})
//	code, err := b.Go(ctx)
//
// Prepare lists the packages, marks the selected ones and writes the overlay file; Go, Program with
// RunProgram, and Test then run go. Collect creates a directory for the data of the processes. List
// is go list for other parts of markgen.
//
// The package promises that go's flags keep their meaning; that go prints the same messages as
// without markers for source that does not build; that output, exit codes and signals pass through;
// that the same source gives the same marked text at the same path, so that go's build cache works;
// and that any number of processes may use one cache.
//
// With Options.Deep the build uses a modified package runtime that keeps per-goroutine statistics:
// see package deep.
//
// cover.go and test.go list the known differences from go.
package overlay
