package overlay

import (
	"sync"

	"github.com/markgen/markgen/heap"
)

// memory limits the source being processed at the same time to the size of the largest package so
// far: syntax trees are many times as large as their source. Use newMemory to create one.
type memory struct {
	mu      sync.Mutex
	free    sync.Cond
	inUse   int // bytes of source being processed
	largest int
	pace    heap.Pace
}

func newMemory() *memory { return &memory{pace: heap.Pace{PerByte: heap.Overlay}} }

// smallSource is the number of bytes of source that may always be processed concurrently.
const smallSource = 256 << 10

// acquire waits until n more bytes of source may be processed. A package larger than any before waits
// until nothing else is processed.
func (m *memory) acquire(n int) {
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

// release returns n bytes that acquire reserved.
func (m *memory) release(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse -= n
	m.pace.End(n)
	m.free.L = &m.mu
	m.free.Broadcast()
}
