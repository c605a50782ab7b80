package runfile

import "testing"

// Chunks stay long, even if there are many.
func TestPoolChunks(t *testing.T) {
	var p pool[byte]
	for range 100 {
		p.take(mostChunk)
	}
	if p.one(); len(p.chunks) != 101 || len(p.chunks[100]) != mostChunk {
		t.Errorf("%d chunks, the last of %d", len(p.chunks), len(p.chunks[len(p.chunks)-1]))
	}
}
