package report

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
)

// Headers are the headers of loops and branches in the source of markers: data have no more of them than
// a name, which ends in for#1 or if#2.then, and a place. Each file is read once, when the first marker in
// it is asked for. It is not for several goroutines at a time.
type Headers struct {
	source func(pkg, file string, std bool) (Source, error)
	files  map[sourceName]map[int][]*rewrite.Point // by the line they stand in
}

// NewHeaders returns the headers in the files that source gives, as Options.Source does; nil: there
// are none.
func NewHeaders(source func(pkg, file string, std bool) (Source, error)) *Headers {
	return &Headers{source, map[sourceName]map[int][]*rewrite.Point{}}
}

// Of is the header of the loop or branch that a marker is of, on one line: "for i := range n", "if x > y",
// "else of if x > y", "case 1, 2:". It is "" for other kinds of markers, where there is no source, and
// where the source has changed: no marker of that name stands in that line.
func (h *Headers) Of(m *profile.Marker) string {
	if h.source == nil || m.File == "" || m.Kind != rewrite.KindLoop && m.Kind != rewrite.KindBranch {
		return ""
	}
	at := sourceOf(m)
	points, known := h.files[at]
	if !known {
		if source, err := h.source(at.pkg, at.file, at.std); err == nil {
			points = pointsIn(at, source.Text)
		}
		h.files[at] = points
	}
	for _, p := range points[m.Line] {
		if (m.Col == 0 || m.Col == p.Pos.Column) && p.Kind == m.Kind && sameName(p, m) {
			return printable(p.Head())
		}
	}
	return ""
}

// pointsIn are the loops and branches in a file by their lines; none of a file that does not compile.
func pointsIn(at sourceName, text string) map[int][]*rewrite.Point {
	u, err := rewrite.Load(at.pkg, []rewrite.Source{{Name: at.file, Text: rewrite.Blank([]byte(text))}})
	if err != nil || u.Find(rewrite.Options{All: true, Tests: true, Generated: true}) != nil {
		return nil
	}
	points := map[int][]*rewrite.Point{}
	for _, p := range u.Points {
		if p.Kind == rewrite.KindLoop || p.Kind == rewrite.KindBranch {
			points[p.Pos.Line] = append(points[p.Pos.Line], p)
		}
	}
	return points
}

// sameName tells whether a point of a file has the name of a marker. In functions init and _ and in the
// initialisers of variables it is the last part that counts: what is before has a number over all files
// of the package, and this is one of them.
func sameName(p *rewrite.Point, m *profile.Marker) bool {
	if p.Name == m.Name {
		return true
	}
	top, _, _ := strings.Cut(p.Func, "#")
	if top != "init" && top != "_" {
		return false
	}
	rest, ok := strings.CutPrefix(m.Name, m.Package+"."+top)
	return ok && rest != "" && (rest[0] == ':' || rest[0] == '#') && lastPart(p.Name) == lastPart(m.Name)
}

// lastPart is what a name ends in: for#1.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }
