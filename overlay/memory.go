package overlay

import (
	"runtime/debug"
	"sync"
)

// memory keeps the source that is worked on at any time to the size of the
// largest package so far: syntax trees are many times the size of their
// source. The zero value is ready for use.
type memory struct {
	mu      sync.Mutex
	free    sync.Cond
	inUse   int // bytes of source
	largest int
}

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
}

// give ends what take began.
func (m *memory) give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse -= n
	m.free.L = &m.mu
	m.free.Broadcast()
}

// markingGC is GOGC while packages are marked. What is live then is 9 to 13 times
// the source that is worked on; at the usual 100 the heap grows to twice that.
const markingGC = 50

// spareMemory collects garbage more often until what it returns is called.
func spareMemory() (restore func()) {
	before := debug.SetGCPercent(markingGC)
	if before >= 0 && before < markingGC {
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}
