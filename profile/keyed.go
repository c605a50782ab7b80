package profile

import "github.com/markgen/markgen/registry"

// maxScanned is the length up to which lists are searched linearly. Longer lists are searched with
// a map.
const maxScanned = 16

// addKeyed calls add with each element of b and the element of a that has the same key. If there is
// none, it appends a zero value to a for it, and add must set its key, too. It takes linear time, as
// lists from files may be long.
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

// hasDuplicate reports whether two elements have the same key.
func hasDuplicate[T any, K comparable](list []T, key func(*T) K) bool {
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

// Key functions for addKeyed and hasDuplicate.
func callerID(c *Caller) registry.ID  { return c.ID }
func collectorName(r *Reading) string { return r.Collector }
func valueName(v *Value) string       { return v.Name }

// Repeats says what is in the marker's data twice, or "". Whatever writes profiles adds up what has the
// same key, so a file with duplicates is damaged.
func (m *Marker) Repeats() string {
	if hasDuplicate(m.Callers, callerID) {
		return "a caller"
	}
	for i := range m.Callers {
		if what := m.Callers[i].Repeats(); what != "" {
			return what
		}
	}
	if hasDuplicate(m.Readings, collectorName) {
		return "a collector"
	}
	for i := range m.Readings {
		if hasDuplicate(m.Readings[i].Values, valueName) {
			return "a value"
		}
	}
	return ""
}
