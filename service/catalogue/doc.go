// Package catalogue has the APIs of a store in memory, so that they are found while their name is typed.
//
//	x := catalogue.New()
//	go x.Follow(ctx, store, catalogue.Options{})
//	found, err := x.Search(catalogue.Query{Text: "buf write"})
//	for _, api := range found.APIs { … }
//
// A query is words with spaces between them, all of which have to occur in the name. A word with a capital is taken
// as it is written; any other fits capitals too. The stars and parentheses of a method's receiver don't matter:
// bytes.(*Buffer).Write and Buffer.Write find the same. What fits best comes first (quality), and of equals what is
// called most.
//
// An Index has no connection to its store besides Follow: each of several servers that share a database has its own.
//
// A million APIs take about 160 MB. Names are kept once and folded to lower case, with a bit for every byte that was
// a capital; the texts of packages are kept once. A search looks at two words of every API that say which letters
// and which pairs of letters its name has, and then at the names which that leaves.
package catalogue
