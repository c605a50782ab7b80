package report

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
)

// Headers finds the headers of loops and branches in the source of markers: data files contain only
// their name, which ends in for#1 or if#2.then, and place. Each file is read once, when its first
// marker is asked for. It must not be used concurrently.
type Headers struct {
	source func(pkg, file string, std bool) (Source, error)
	files  map[sourceName]map[int][]*rewrite.Point // by line
}

// NewHeaders returns the headers in the files that source returns, as in Options.Source. If source
// is nil, there are no headers.
func NewHeaders(source func(pkg, file string, std bool) (Source, error)) *Headers {
	return &Headers{source, map[sourceName]map[int][]*rewrite.Point{}}
}

// Of returns the header of a marker's loop or branch, on one line: "for i := range n", "if x > y",
// "else of if x > y", "case 1, 2:". It returns "" for other kinds of markers, and if there is no
// source or it has changed, so that no marker of that name is on that line.
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

// pointsIn returns the loops and branches in a file by line; nil if the file does not compile.
func pointsIn(at sourceName, text string) map[int][]*rewrite.Point {
	u, err := rewrite.Load(at.pkg, []rewrite.Source{{Name: at.file, Text: inplace.Blank([]byte(text))}})
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

// sameName reports whether a point of a file has the name of a marker. In functions init and _ and
// in the initialisers of variables only the last part is compared: the part before is numbered
// across all files of the package, and this is only one of them.
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

// lastPart returns the last part of a name, such as for#1.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }
