package runfile

import "testing"

// Chunks stay long, even if there are many.
func TestPoolChunks(t *testing.T) {
	var p pool[byte]
	for range 100 {
		p.take(maxChunk)
	}
	if p.one(); len(p.chunks) != 101 || len(p.chunks[100]) != maxChunk {
		t.Errorf("%d chunks, the last of %d", len(p.chunks), len(p.chunks[len(p.chunks)-1]))
	}
}
