package profile

import "github.com/markgen/markgen/registry"

// mostScanned is how many of a list are looked at one after the other for a key. Those of longer lists are found
// by a map.
const mostScanned = 16

// addKeyed adds each of b to what a has of the same key, or to a new zero value at the end of a. add also gives
// it the key. The lists may be as long as a file makes them: what is done is in proportion to both.
func addKeyed[T any, K comparable](a, b []T, key func(*T) K, add func(sum, t *T)) []T {
	var at map[K]int // where in a each is, as soon as that is needed
	next := 0        // mostly lists have the same order
	for k := range b {
		t := &b[k]
		if want := key(t); next == len(a) || key(&a[next]) != want {
			next = -1
			if at == nil && len(a) > mostScanned {
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

// twice tells whether two of a list have the same key.
func twice[T any, K comparable](list []T, key func(*T) K) bool {
	if len(list) <= mostScanned {
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

// Keys of what adds up.
func callerID(c *Caller) registry.ID  { return c.ID }
func collectorName(r *Reading) string { return r.Collector }
func valueName(v *Value) string       { return v.Name }

// Repeats says what the figures of a marker have twice, "" if there is no such thing: in a sum there is not, and reading a
// file where there is could take for ever.
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
