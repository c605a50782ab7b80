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

// A Point is a place in the source that gets a marker.
type Point struct {
	registry.Point
	ID       registry.ID
	Guess    bool           // its match with the earlier marker of the same ID is uncertain: see registry.Baseline
	Pos      token.Position // of the func, for, if, case … keyword, or of the directive
	Count    bool           // scopes are counted, not timed
	Long     bool           // may run as long as the program: scopes in its loops follow changes of the state
	Sample   int            // one scope in Sample is recorded; 0 or 1 means every scope
	Group    string         // "" for none
	SizeExpr string         // integer expression in the scope of the marked statements; "" for none
	Label    string         // string expression there; "" for none
	Explicit bool           // a directive asks for it
	Form     string         // the form in which Overlay plants it: see form.go
	Why      string         // why that form was chosen
	Left     string         // why it gets no marker; "" if it gets one

	marker  int       // index into Unit.timed, or -1
	counter int       // index into Unit.counts, or -1
	gate    int       // index into Unit.timed of its function's gate, the first timed marker of the function
	atTop   bool      // its function tests once, at its start, whether its scopes are recorded
	slot    int       // index of its scope in the function's scopes, if it is timed
	sizePos token.Pos // position of a directive's SizeExpr
	labelAt token.Pos // position of a directive's Label
	clause  int       // offset in Header of the clause of a switch or select; 0 for other points
	f       *file
	from    token.Pos // the brace or colon before its body; NoPos for a region or point
	lines   lines     // of its source
}

// lines are the lines of a point's source: how many there are from its position to those on which its
// scope can be open, and how many these are; 0 for a point. The header of a loop is in its
// scope; the condition of a branch is not.
type lines struct{ before, within int }

// linesOf returns the lines of a point with a body between from and to.
func (p *Point) linesOf(from, to token.Pos) lines {
	first, last := p.f.position(from).Line, p.f.position(to).Line
	if p.Kind != KindBranch {
		first = p.Pos.Line
	} else if first < last {
		first++
	}
	return lines{first - p.Pos.Line, last - first + 1}
}

// Head returns the header of a loop or branch for display, on one line and without comments:
// "for i := range n", "if x > y", "else of if x > y", "case 1, 2:". For other kinds it returns "".
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
