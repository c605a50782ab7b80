// Package filewrite replaces sets of files: after WriteAll either all files have their new content
// or all are unchanged.
//
//	err := filewrite.WriteAll(ctx, map[string][]byte{"a.go": text, "old.go": nil})
//
// Stream does the same for a single file that may not fit into memory.
//
// New content is written to a temporary file beside the old one, synced to disk, and then renamed,
// so that no reader and no crash ever sees a partial file. The mode of a file is kept, and its
// owner if permitted. If the name is a symbolic link, the file it refers to is replaced.
//
// One case is not covered: if the process is killed between the first rename and the last, some
// files are new and some old, each of them complete. The old contents are then beside them under
// names that begin with ".markgen-", until Sweep removes them.
package filewrite
