// Package alloc has benchmarks that allocate.
package alloc

type node struct{ left, right *node }

// Allocated objects are stored here; otherwise they would be on the stack.
var (
	number   *int32
	top      *node
	array    *[64]byte
	pointers *[8]*int
	bytes    []byte
	text     string
	name     = "twenty bytes of text"
)

func tree(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}
