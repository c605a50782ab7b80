// Package table parses the text that names markers and blocks in data files and profile files, one
// per line: docs/reference/data-file.md describes the lines. The text may be packed.
//
//	t, err := cache.Parse(text)
//	for i, m := range t.Markers { … }
package table
