package profile

import (
	"strings"

	"github.com/markgen/markgen/units"
)

// leftOut returns a caution if loops were excluded from functions that were included: each
// iteration still costs some ns, without being counted.
func (p *Profile) leftOut() string {
	functions := map[string]*Marker{}
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Kind == "func" {
			functions[m.Name] = m
		}
	}
	loops, sampled, about := uint64(0), false, ""
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Kind != "loop" || m.Off != "choice" {
			continue
		}
		if f := functionAround(m.Name, functions); f != nil && f.Off == "" && f.Count > 0 {
			if loops++; about == "" {
				about = f.Name
			}
			sampled = sampled || f.Sampled()
		}
	}
	if loops == 0 {
		return ""
	}
	text := units.Plural(loops, "loop") + " left out of functions that are on, as of " + about +
		": each scope still takes some ns, which count as the function's own"
	if sampled {
		text += ", and estimates of how often such functions run are too low"
	}
	return text + "; mark what is wanted by //perf:mark, without -all, to be rid of that"
}

// functionAround returns the innermost marked function that contains the marker with the name, or
// nil.
func functionAround(name string, functions map[string]*Marker) *Marker {
	for i := strings.LastIndexByte(name, ':'); i > 0; i = strings.LastIndexByte(name[:i], ':') {
		if f := functions[name[:i]]; f != nil {
			return f
		}
	}
	return nil
}
