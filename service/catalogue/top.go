package catalogue

import (
	"cmp"
	"container/heap"
	"slices"
)

// limit is how many are returned to who asks for n.
func limit(n int) int { return min(cmp.Or(max(n, 0), 50), MostFound) }

// Top keeps the first few of many, in an order.
type top[T any] struct {
	limit   int
	compare func(a, b T) int
	heap    []T // the last is on top
}

func newTop[T any](limit int, compare func(a, b T) int) *top[T] {
	return &top[T]{limit: limit, compare: compare}
}

// add tells whether v is among the first so far.
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

// last is the one that goes next, if there are as many as are kept.
func (t *top[T]) last() (v T, full bool) { return t.heap[0], len(t.heap) == t.limit }

// sorted returns them in order, and ends the use of t.
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
