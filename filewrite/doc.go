// Package filewrite replaces files as a whole: after WriteAll either every file
// has its new content or every file is as it was.
//
//	err := filewrite.WriteAll(ctx, map[string][]byte{"a.go": text, "old.go": nil})
//
// Stream does the same for one file that need not fit into memory.
//
// New content goes to a temporary file beside the old one, is brought to the
// disk, and takes its place by being renamed, so that no reader and no crash
// ever sees half a file. The mode of a file is kept, its owner where that is
// allowed, and a symbolic link stays one: what it points to is replaced.
//
// What is not promised: a kill that cannot be caught, in the instant between the
// first rename and the last, leaves some files new and some old, each of them
// whole; their former contents then lie beside them under names that begin
// with ".markgen-" until Sweep removes them.
package filewrite
