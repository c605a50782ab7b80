package profile

// Wait is the collector, of deep builds, that says what goroutines did
// (runtime/internal/collect/deep_wait.go). Its values add up to the time of the scopes that were
// read.
const Wait = "wait"

// running is its value for the time in which they ran.
const running = "run_ns"

// KnowsWaiting says whether it was read what goroutines did in scopes of any marker.
func (p *Profile) KnowsWaiting() bool {
	for i := range p.Markers {
		if p.Markers[i].Reading(Wait) != nil {
			return true
		}
	}
	return false
}

// RunningNS is the part of SelfNS, ns, in which goroutines ran as far as Go's scheduler is
// concerned, by the proportion in the scopes of which the collector Wait was read: all of it if that was
// none.
func (m *Marker) RunningNS() uint64 {
	r := m.Reading(Wait)
	if r == nil {
		return m.SelfNS
	}
	all, ran := 0.0, 0.0
	for i := range r.Values {
		v := &r.Values[i]
		all += float64(v.Self)
		if v.Name == running {
			ran += float64(v.Self)
		}
	}
	if all == 0 {
		return m.SelfNS
	}
	return min(m.SelfNS, uint64(ran/all*float64(m.SelfNS)))
}

// WaitingNS is the rest of SelfNS, ns, in which goroutines waited, were in a system call or in C,
// or worked for the garbage collector.
func (m *Marker) WaitingNS() uint64 { return m.SelfNS - m.RunningNS() }
