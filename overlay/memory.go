package overlay

import (
	"sync"

	"github.com/markgen/markgen/heap"
)

// memory keeps the source that is worked on at any time to the size of the
// largest package so far: syntax trees are many times the size of their
// source. newMemory makes one.
type memory struct {
	mu      sync.Mutex
	free    sync.Cond
	inUse   int // bytes of source
	largest int
	pace    heap.Pace
}

func newMemory() *memory { return &memory{pace: heap.Pace{PerByte: heap.Overlay}} }

// smallSource is what is worked on at once in any case, bytes.
const smallSource = 256 << 10

// take waits until n bytes of source fit in. A package larger than any before
// waits until it is alone.
func (m *memory) take(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free.L = &m.mu
	for m.inUse > 0 && m.inUse+n > max(m.largest, smallSource) {
		m.free.Wait()
	}
	m.inUse += n
	m.largest = max(m.largest, n)
	m.pace.Begin(n)
}

// give ends what take began.
func (m *memory) give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse -= n
	m.pace.End(n)
	m.free.L = &m.mu
	m.free.Broadcast()
}
