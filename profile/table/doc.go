// Package table reads the text by which data files and profile files name the markers and blocks that
// their figures are of, one on a line: docs/data-file.md describes the lines. In a file the text may be packed.
//
//	t, err := cache.Parse(text)
//	for i, m := range t.Markers { … }
package table
