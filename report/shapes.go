package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/units"
)

// writeShapes writes the shape of each marker's times: its name with the established properties,
// followed by the evidence. It omits properties that do not hold, and undecided ones, except what
// data would decide growth and the cost of the first call.
func writeShapes(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) {
	ink := ink(o.Color)
	known := shape.For(p)
	some, sized := false, false
	for _, m := range markers {
		s := shape.Of(m, known)
		if s.Calls == 0 {
			continue
		}
		if !some {
			fmt.Fprintln(w, ink.paint(strong, "shapes"))
			some = true
		}
		sized = sized || s.Growth != nil
		fmt.Fprintf(w, "%s: %s\n", o.common.cut(m.Name), cmp.Or(printable(strings.Join(s.Labels(), ", ")), none))
		for _, line := range s.Evidence() {
			writeEvidence(w, line, ink)
		}
		if s.Few() {
			fmt.Fprintf(w, "    %s\n", ink.paint(faint, "few data: "+units.Plural(int(s.Calls), "call")))
		}
	}
	if some && !sized {
		fmt.Fprintln(w, ink.paint(faint, "how they grow with their inputs is not known: mark them with size=, or build with -sizes"))
	}
	if some {
		w.WriteByte('\n')
	}
}

func writeEvidence(w *bufio.Writer, line shape.Line, ink ink) {
	text := printable(line.Evidence)
	switch open := line.Verdict == shape.Undecided; {
	case open && (line.Property == shape.PropertyGrowth || line.Property == shape.PropertyStartup):
		text += "; it would take " + printable(line.Need)
	case line.Verdict != shape.Yes && line.Property != shape.PropertyGrowth:
		return
	}
	fmt.Fprintf(w, "    %s %s\n", ink.paint(faint, fmt.Sprintf("%-8s", line.Property)), text)
}

// jsonShape is a marker's shape, in the json format.
type jsonShape struct {
	Labels []string `json:"labels"` // the properties, in a word or two each
	shape.Shape
}

func shapeOf(m *profile.Marker, known shape.Options) *jsonShape {
	s := shape.Of(m, known)
	return &jsonShape{append([]string{}, s.Labels()...), s}
}
