// Package runfile reads the data files of marked programs, which docs/reference/data-file.md describes.
//
//	p, err := runfile.Read("demo.4711.markgen")
//
// Read reads profile files (package codec) as well, and a Sum adds up files of both kinds. For live
// processes, Units follows what they register. OpenRecords finds the records of a trace for package
// trace.
//
// A file may belong to a program that still runs or was killed. No length in a file is trusted, and
// the memory used is at most a multiple of the file's size. Damaged parts are skipped and named
// with file and offset in Profile.Warnings; the rest is read. Only an unreadable header is an
// error.
//
// run.read reads a file in this order: the header; the blocks, each kind by its own method, which
// stores data by the numbers in the file; then it adds up cells, estimates what was sampled, and
// join assigns the data to the markers in the tables.
package runfile
