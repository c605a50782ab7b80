package profile

// The collector alloc, and the names of its values: what the goroutine allocated on the
// heap in a scope, which deep builds know exactly, or what the whole process did
// meanwhile, as far as the Go runtime had taken note of it.
const (
	AllocCollector      = "alloc"
	AllocBytes          = "bytes"
	AllocObjects        = "objects"
	AllocProcessBytes   = "process_bytes"
	AllocProcessObjects = "process_objects"
)

// Alloc is what was read of allocation at the marker, nil if it was not.
func (m *Marker) Alloc() *Reading {
	for i := range m.Readings {
		if m.Readings[i].Collector == AllocCollector {
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
