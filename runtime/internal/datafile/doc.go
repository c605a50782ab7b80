// Package datafile is the operating system's side of what package perf keeps, reads and writes: the
// data file of a run, memory outside the Go heap, the pages of markers that are shared with the
// data file, the spool, and the files that MARKGEN names.
//
//	var f datafile.File
//	first, _, trouble := f.Open("data.markgen", 256<<10, datafile.Options{}) // first begins with the header
//	more, trouble := f.Grow(1 << 20)
//	trouble = f.Complete([][]byte{first, more}, true)
//	f.Close()
//
// Where files are mapped, what is written to a piece is in the file at once, whatever becomes of
// the process; elsewhere Complete writes it. What went wrong is a text for the user, trouble, and
// "" if nothing did. Nothing here waits for another process that does nothing for two seconds.
package datafile

// Options say how a data file is opened.
type Options struct {
	Keeper string // NAME.SECRET of a process that gives the file, see fetch; "": none
	Spool  string // the spool that the file is in, which is made; it has to be locked there, and replaces nothing; "": none
	Room   uint64 // bytes that the spool may hold for there to be another file
}

// OnWrite is told the result of each write(2) of this package, bytes, or a negative number. The
// collector io takes them off what the process has written. It is set before anything else here is called.
var OnWrite = func(n int) {}
