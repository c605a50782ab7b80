package profile

import "github.com/markgen/markgen/registry"

// maxScanned is the length up to which lists are searched linearly. Longer lists are searched with
// a map.
const maxScanned = 16

// addKeyed adds each element of b to the element of a with the same key, or to a new zero value at
// the end of a, whose key add must set. It takes linear time, as lists from files may be long.
func addKeyed[T any, K comparable](a, b []T, key func(*T) K, add func(sum, t *T)) []T {
	var at map[K]int // index in a by key, built when first needed
	next := 0        // lists mostly have the same order
	for k := range b {
		t := &b[k]
		if want := key(t); next == len(a) || key(&a[next]) != want {
			next = -1
			if at == nil && len(a) > maxScanned {
				at = make(map[K]int, len(a)+len(b)-k)
				for i := range a {
					at[key(&a[i])] = i
				}
			}
			if at == nil {
				for i := range a {
					if key(&a[i]) == want {
						next = i
						break
					}
				}
			} else if i, ok := at[want]; ok {
				next = i
			}
			if next < 0 {
				next = len(a)
				a = append(a, *new(T))
				if at != nil {
					at[want] = next
				}
			}
		}
		add(&a[next], t)
		next++
	}
	return a
}

// twice reports whether two elements have the same key.
func twice[T any, K comparable](list []T, key func(*T) K) bool {
	if len(list) <= maxScanned {
		for i := range list {
			for k := range i {
				if key(&list[k]) == key(&list[i]) {
					return true
				}
			}
		}
		return false
	}
	seen := make(map[K]struct{}, len(list))
	for i := range list {
		seen[key(&list[i])] = struct{}{}
	}
	return len(seen) < len(list)
}

// Key functions for addKeyed and twice.
func callerID(c *Caller) registry.ID  { return c.ID }
func collectorName(r *Reading) string { return r.Collector }
func valueName(v *Value) string       { return v.Name }

// Repeats returns a description of a duplicate in the marker's data, or "". Sums have no
// duplicates, and reading a file that has them might take forever.
func (m *Marker) Repeats() string {
	if twice(m.Callers, callerID) {
		return "a caller"
	}
	for i := range m.Callers {
		if what := m.Callers[i].Repeats(); what != "" {
			return what
		}
	}
	if twice(m.Readings, collectorName) {
		return "a collector"
	}
	for i := range m.Readings {
		if twice(m.Readings[i].Values, valueName) {
			return "a value"
		}
	}
	return ""
}
