package store

// A Status tells what of the batches that this process accepted is not in the tables yet. All of it
// is in the log.
type Status struct {
	WaitingBatches int64 // batches that are not completely in the tables
	WaitingBytes   int64 // memory that they use
	Memory         int64 // limit of WaitingBytes: from half of it on all is written at once, at the limit ErrBehind
	Chunks         int64 // chunks written to the tables so far
	WriteError     error // why writing fails, or nil
}

// Status returns the current status. It does not query the database, and may be called at any time.
func (s *Store) Status() Status {
	st := Status{WaitingBytes: s.waiting.Load(), Memory: int64(s.options.Memory), Chunks: s.chunks.Load(), WriteError: s.workerErrors.any()}
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
