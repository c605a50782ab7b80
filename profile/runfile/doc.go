// Package runfile reads the files that marked programs write: docs/data-file.md describes them.
//
//	p, err := runfile.Read("demo.4711.markgen")
//
// Read takes profile files, too (package codec), and a Sum adds files of both kinds up. Of live
// processes Units follows what they register, and OpenRecords finds the records of a trace for package
// trace.
//
// A file may belong to a program that still runs or that was killed. No length in it is believed, and
// memory is a multiple of the file's size at most: what is damaged is named with file and offset, in
// Profile.Warnings, and what is sound is kept. Only a header that can't be read is an error.
//
// A file is read in this order (run.read): the header; the blocks, each kind by its own method, which
// keeps figures by the numbers that the file gives markers; cells are added up; estimates are made where
// not all passages were recorded; and join gives the figures to the markers that the tables name.
package runfile
