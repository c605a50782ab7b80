// Package catalogue keeps the APIs of a store in memory, fast enough for search as you type.
//
//	x := catalogue.New()
//	go x.Follow(ctx, store, catalogue.Options{})
//	found, err := x.Search(catalogue.Query{Text: "buf write"})
//	for _, api := range found.APIs { … }
//
// A query is a list of words separated by spaces; all must occur in the name. A word with a capital
// letter is case-sensitive, any other is not. The star and parentheses of a method's receiver are
// ignored: bytes.(*Buffer).Write and Buffer.Write find the same. Results are sorted by how well
// they match (see quality), then by number of calls.
//
// An Index is connected to its store only by Follow: each server that shares a database has its
// own.
//
// A million APIs take about 160 MB. Names are stored once, in lower case, with a bit for each byte
// that was part of a capital; package paths are stored once. A search reads two words per API,
// which say what letters and pairs of letters its name has, and then only the names that remain.
package catalogue
