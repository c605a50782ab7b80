package profile

import "fmt"

// Cautions returns all that who reads the figures has to know before believing them: the
// Warnings of the files, and what follows from the sum. Every format of a report
// that has a place for text shows them.
func (p *Profile) Cautions() []string {
	list := p.Warnings[:len(p.Warnings):len(p.Warnings)]
	switch p.Clock.Kind {
	case "mono":
		list = append(list, fmt.Sprintf("the processor's counter was not used, as its rate is not sure to be constant, or clock=mono asked for it; times are by the system's clock, in steps of %.0f ns", p.Clock.QuantumNS))
	case "mixed":
		list = append(list, "the runs were measured with different clocks; overhead and quantum are those of the newest")
	}
	throttled := uint64(0)
	for i := range p.Markers {
		if p.Markers[i].Off == "throttled" {
			throttled++
		}
	}
	if throttled > 0 {
		list = append(list, plural(throttled, "marker")+" turned off by throttle=; the passages after that are missing")
	}
	if t := p.Trace; t != nil && t.Lost > 0 {
		list = append(list, plural(t.Lost, "trace record")+" lost; give a larger buffer=, or let markgen run or exec write them down")
	}
	return list
}
