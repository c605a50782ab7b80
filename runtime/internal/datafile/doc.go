// Package datafile has the operating system's part of what package perf stores, reads and writes:
// the data file of a run, memory outside the Go heap, the pages of markers that are shared with the
// data file, the spool, and the files that MARKGEN names.
//
//	var f datafile.File
//	first, _, problem := f.Open("data.markgen", 256<<10, datafile.Options{}) // first begins with the header
//	more, problem := f.Grow(1 << 20)
//	problem = f.Complete([][]byte{first, more}, true)
//	f.Close()
//
// Where files are mapped, a write to a piece is in the file at once, whatever happens to the
// process; elsewhere Complete writes the file. The results named problem are error messages for the
// user, "" if there was no error. No function waits longer than two seconds for another process
// that makes no progress.
package datafile

// Options say how a data file is opened.
type Options struct {
	Keeper string // NAME.SECRET of the process that provides the file, see fetch; "" if none
	// Spool is the directory of the spool that the file is in, "" if none. It is created; the file
	// must be lockable there, and replaces nothing.
	Spool string
	Room  uint64 // maximum bytes in the spool for another file to be added
}

// OnWrite is called with the result of each write(2) of this package, a number of bytes, or
// negative. The collector io subtracts these bytes from what the process has written. It must be
// set before anything else in this package is called.
var OnWrite = func(n int) {}
