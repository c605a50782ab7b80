package profile

import "slices"

// Demoted is the Marker.Off of a marker with short scopes that from some time on were only counted.
const Demoted = "demoted"

// Demoted reports whether, in at least one run, the marker's times are estimates from some of its
// scopes. Count is exact.
func (m *Marker) Demoted() bool { return m.Off == Demoted }

// reasons are the values of Off, in increasing order of precedence in a sum.
var reasons = []string{"", "choice", "enough", "throttled", Demoted}

// OffReasons returns the possible values of Marker.Off. A sum has the last one in this list that
// occurs in its addends.
func OffReasons() []string { return slices.Clone(reasons) }

// moreOff returns the reason with higher precedence.
func moreOff(a, b string) string {
	if b == "" || slices.Index(reasons, b) < slices.Index(reasons, a) {
		return a
	}
	return b
}
