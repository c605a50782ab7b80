// Package inplace writes markers into source that people keep, and takes them out again.
//
//	texts, err := inplace.Mark(u, inplace.Options{Runtime: "github.com/markgen/markgen/runtime/perf"})
//	back, err := inplace.Strip(name, texts[name]) // the original bytes
//
// A plan of package rewrite says which statements go before which token. In a file that
// gofmt would not change, Mark inserts them into the syntax tree (package dst, which keeps
// comments and blank lines with the nodes) and prints it, so that gofmt would not change the
// result either; Strip takes them out of the tree of the marked file (tree.go, remove.go,
// imports.go). Other files, and those that package dst cannot print back, are edited as text
// (lines.go). Mark strips every result and compares it with the original.
package inplace
