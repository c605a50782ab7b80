package rewrite

import (
	"go/token"
	"strings"

	"github.com/markgen/markgen/registry"
)

// Kinds of markers (DESIGN §1).
const (
	KindFunc   = "func"
	KindLoop   = "loop"
	KindBranch = "branch"
	KindBlock  = "block"
	KindRegion = "region"
	KindPoint  = "point"
)

// Point is a place in the source that gets a marker.
type Point struct {
	registry.Point
	ID       registry.ID
	Guess    bool           // that it is what the earlier marker with the ID was: see registry.Baseline
	Pos      token.Position // of the func, for, if, case … keyword, or of the directive
	Count    bool           // passages are counted and not timed
	Long     bool           // it may go on for as long as the program: scopes in its loops follow changes of the state
	Sample   int            // 1:Sample; 1 or 0 means every passage
	Group    string         // "" for none
	SizeExpr string         // integer expression in the scope of the marked statements; "" for none
	Explicit bool           // a directive asked for it
	Form     string         // how the writer of overlays plants it: see form.go
	Why      string         // why that form

	marker  int       // index into Unit.timed, or -1
	counter int       // index into Unit.counts, or -1
	gate    int       // index into Unit.timed of the first marker of its function
	atTop   bool      // its function chooses where it begins whether scopes in it are recorded
	once    string    // the flag of what runs once at most; see function.once
	slot    int       // which of its function's scopes it has, where it is timed
	sizePos token.Pos // of a directive's SizeExpr
	clause  int       // index in Header of the clause of a switch or select; 0: the point is none
	f       *file
}

// Head is the header of a loop or branch as people read it, on one line and without comments:
// "for i := range n", "if x > y", "else of if x > y", "case 1, 2:". It is "" for other kinds of points.
func (p *Point) Head() string {
	switch {
	case p.Kind == KindLoop:
		return p.Header
	case p.Kind != KindBranch:
		return ""
	case p.clause > 0:
		return p.Header[p.clause:] + ":"
	}
	if condition, isElse := strings.CutSuffix(p.Header, " else"); isElse {
		return "else of " + condition
	}
	return strings.TrimSuffix(p.Header, " then")
}
