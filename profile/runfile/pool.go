package runfile

// A pool allocates memory that is reused after a reset.
type pool[T any] struct {
	chunks [][]T
	chunk  int // chunk allocated from
	used   int // number of elements used in it
}

// Chunks grow, so that a pool allocates at most a few times what is needed.
const firstChunk, maxChunk = 16, 4096

// take returns n consecutive elements, not zeroed.
func (p *pool[T]) take(n int) []T {
	for {
		if p.chunk == len(p.chunks) {
			p.chunks = append(p.chunks, make([]T, max(n, min(firstChunk<<min(len(p.chunks), 8), maxChunk))))
		}
		if c := p.chunks[p.chunk]; n <= len(c)-p.used {
			list := c[p.used : p.used+n : p.used+n]
			p.used += n
			return list
		}
		p.chunk, p.used = p.chunk+1, 0
	}
}

// back returns the last n elements of the latest take to the pool.
func (p *pool[T]) back(n int) { p.used -= n }

// one returns a zeroed element.
func (p *pool[T]) one() *T {
	one := &p.take(1)[0]
	*one = *new(T)
	return one
}

// reset makes all elements available again.
func (p *pool[T]) reset() { p.chunk, p.used = 0, 0 }
