package profile

// Collectors of collect=alloc, which have the same values. In deep builds it is Alloc: exact heap
// allocations of the goroutine in a scope. In other builds it is ProcessAlloc: allocations of the
// whole process during the scope, as far as the Go runtime had published them.
const (
	Alloc        = "alloc"
	ProcessAlloc = "process_alloc"

	AllocBytes   = "bytes"
	AllocObjects = "objects"
)

// Reading returns the marker's reading of a collector, or nil.
func (m *Marker) Reading(collector string) *Reading {
	for i := range m.Readings {
		if m.Readings[i].Collector == collector {
			return &m.Readings[i]
		}
	}
	return nil
}

// Value returns the value with the name, or nil. A nil reading has no values.
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
