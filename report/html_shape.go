package report

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// pageShape is how the time of a function behaves, of those of which something can be said.
type pageShape struct {
	At       int         `json:"at"`       // in the functions
	Labels   []string    `json:"labels"`   // what holds, in a word or two each
	Evidence [][2]string `json:"evidence"` // property, and what is known of it
}

// shapes are those of the functions that are in the profile.
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

// told tells whether a card has room for a line: what is so, and of growth and memory what is not.
func told(line shape.Line) bool {
	return line.Verdict == shape.Yes ||
		line.Verdict == shape.No && (line.Property == shape.PropertyGrowth || line.Property == shape.PropertyAlloc)
}
