package profile

import "slices"

// Demoted is Marker.Off of one whose scopes were short: from some time on they were counted, and only now and
// then timed.
const Demoted = "demoted"

// Demoted says that times of the marker are estimates from those of some of its scopes, in at least
// one run. Count is exact.
func (m *Marker) Demoted() bool { return m.Off == Demoted }

// reasons for being off, the one that says most of a sum last.
var reasons = []string{"", "choice", "enough", "throttled", Demoted}

// OffReasons are what Off of a marker may be, in the order in which a sum prefers them: the last that one of its
// parts has is the sum's.
func OffReasons() []string { return slices.Clone(reasons) }

// moreOff is the reason that says more.
func moreOff(a, b string) string {
	if b == "" || slices.Index(reasons, b) < slices.Index(reasons, a) {
		return a
	}
	return b
}
