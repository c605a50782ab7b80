// Package m has imports in all ways that there are.
package m // a comment

// Another.

func noneComment() {
	println()
}
