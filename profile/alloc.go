package profile

// What collect=alloc reads goes by two names: in deep builds it is what the goroutine
// allocated on the heap in a scope, exactly, and in others what the whole process did
// meanwhile, as far as the Go runtime had taken note of it. Both have these values.
const (
	Alloc        = "alloc"
	ProcessAlloc = "process_alloc"

	AllocBytes   = "bytes"
	AllocObjects = "objects"
)

// Reading is what the collector read at the marker, nil if it did not.
func (m *Marker) Reading(collector string) *Reading {
	for i := range m.Readings {
		if m.Readings[i].Collector == collector {
			return &m.Readings[i]
		}
	}
	return nil
}

// Value is the value of that name, nil if there is none. A nil reading has none.
func (r *Reading) Value(name string) *Value {
	if r == nil {
		return nil
	}
	for i := range r.Values {
		if r.Values[i].Name == name {
			return &r.Values[i]
		}
	}
	return nil
}
