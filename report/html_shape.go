package report

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// pageShape is the shape of a function's times, for functions with known properties.
type pageShape struct {
	At       int         `json:"at"`       // index in the functions
	Labels   []string    `json:"labels"`   // the properties, in a word or two each
	Evidence [][2]string `json:"evidence"` // property and its evidence
}

// shapes returns the shapes of the functions that are in the profile.
func shapes(list []apiFunction, p *profile.Profile) []pageShape {
	in := map[registry.ID]*profile.Marker{}
	for i := range p.Markers {
		in[p.Markers[i].ID] = &p.Markers[i]
	}
	known := shape.For(p)
	out := []pageShape{}
	for i := range list {
		m := in[list[i].marker.ID]
		if m == nil || m.Count == 0 {
			continue
		}
		s := shape.Of(m, known)
		of := pageShape{At: i, Labels: []string{}, Evidence: [][2]string{}}
		for _, label := range s.Labels() {
			of.Labels = append(of.Labels, printable(label))
		}
		for _, line := range s.Evidence() {
			if told(line) {
				of.Evidence = append(of.Evidence, [2]string{line.Property, printable(line.Evidence)})
			}
		}
		if s.Few() {
			of.Evidence = append(of.Evidence, [2]string{"few data", units.Plural(int(s.Calls), "call")})
		}
		if len(of.Labels)+len(of.Evidence) > 0 {
			out = append(out, of)
		}
	}
	return out
}

// told reports whether a card shows a line: for properties that hold, and for growth and memory
// also if they do not.
func told(line shape.Line) bool {
	return line.Verdict == shape.Yes ||
		line.Verdict == shape.No && (line.Property == shape.PropertyGrowth || line.Property == shape.PropertyAlloc)
}
