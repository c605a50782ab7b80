package profile

// Wait is the collector of deep builds that records what goroutines did
// (runtime/internal/collect/deep_wait.go). Its values add up to the time of the scopes read.
const Wait = "wait"

// running is the value of Wait with the time in which goroutines ran.
const running = "run_ns"

// KnowsWaiting reports whether any marker has readings of Wait.
func (p *Profile) KnowsWaiting() bool {
	for i := range p.Markers {
		if p.Markers[i].Reading(Wait) != nil {
			return true
		}
	}
	return false
}

// RunningNS returns the part of SelfNS in which goroutines ran, from the view of Go's scheduler, in
// ns. It applies the proportion in scopes that the collector Wait read; without any it returns
// SelfNS.
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

// SetRunning sets the part of the time of a reading of Wait in which goroutines ran, without that in scopes
// opened inside. The other values keep their proportions.
func (r *Reading) SetRunning(part float64) {
	all, ran := 0.0, 0.0
	for i := range r.Values {
		all += float64(r.Values[i].Self)
		if r.Values[i].Name == running {
			ran = float64(r.Values[i].Self)
		}
	}
	for i := range r.Values {
		v := &r.Values[i]
		switch {
		case v.Name == running:
			v.Self = uint64(part * all)
		case all > ran:
			v.Self = uint64((1 - part) * all * float64(v.Self) / (all - ran))
		}
	}
}

// WaitingNS returns the rest of SelfNS, in which goroutines waited, were in a system call or in C,
// or worked for the garbage collector, in ns.
func (m *Marker) WaitingNS() uint64 { return m.SelfNS - m.RunningNS() }
