package store

// A Status says how far the store is behind with what this process has taken. All of it is in the log already.
type Status struct {
	WaitingBatches int64 // batches of which something is not in the tables yet
	WaitingBytes   int64 // what that takes of the memory
	Memory         int64 // from half of which on it is written at once; ErrBehind when it is full
	Chunks         int64 // parts of the figures written to the tables so far
	Trouble        error // why writing does not get on, nil if it does
}

// Status returns what is so now. It asks no database, and may be called at any time.
func (s *Store) Status() Status {
	st := Status{WaitingBytes: s.waiting.Load(), Memory: int64(s.options.Memory), Chunks: s.chunks.Load(), Trouble: s.trouble.now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range allChunks {
		for _, k := range [...]*chunk{s.sum.chunks[c], heldChunk(s.held[c])} {
			if k != nil {
				st.WaitingBatches = max(st.WaitingBatches, s.sum.last-k.from+1)
			}
		}
	}
	return st
}

func heldChunk(h *held) *chunk {
	if h == nil {
		return nil
	}
	return h.chunk
}
