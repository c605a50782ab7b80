package catalogue

import (
	"cmp"
	"container/heap"
	"slices"
)

// limit returns the number of results for a requested limit.
func limit(n int) int { return min(cmp.Or(max(n, 0), 50), MostFound) }

// A top keeps the first few of many values in an order.
type top[T any] struct {
	limit   int
	compare func(a, b T) int
	heap    []T // the root is the last of them
}

func newTop[T any](limit int, compare func(a, b T) int) *top[T] {
	return &top[T]{limit: limit, compare: compare}
}

// add reports whether v is among the first so far.
func (t *top[T]) add(v T) bool {
	if len(t.heap) < t.limit {
		heap.Push((*topHeap[T])(t), v)
		return true
	}
	if t.compare(v, t.heap[0]) >= 0 {
		return false
	}
	t.heap[0] = v
	heap.Fix((*topHeap[T])(t), 0)
	return true
}

// last returns the value to be dropped next; full reports whether limit values are kept.
func (t *top[T]) last() (v T, full bool) { return t.heap[0], len(t.heap) == t.limit }

// sorted returns the values in order. t must not be used afterwards.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.heap, t.compare)
	return t.heap
}

type topHeap[T any] top[T]

func (h *topHeap[T]) Len() int           { return len(h.heap) }
func (h *topHeap[T]) Less(i, k int) bool { return h.compare(h.heap[i], h.heap[k]) > 0 }
func (h *topHeap[T]) Swap(i, k int)      { h.heap[i], h.heap[k] = h.heap[k], h.heap[i] }
func (h *topHeap[T]) Push(v any)         { h.heap = append(h.heap, v.(T)) }
func (h *topHeap[T]) Pop() any           { panic("nothing is taken out one by one") }
