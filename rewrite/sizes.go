package rewrite

import (
	"fmt"
	"go/token"
	"strings"
)

// The value of size= is parsed as an expression, but only the compiler knows whether it is an
// integer and its names are defined. The compiler's errors are about the marked text, where the
// expression is at another position and among other code. So if marked source does not compile and
// the original does, SizeTests returns a text to compile instead, for a better error.

// A Size is the expression of one size=.
type Size struct {
	Pos  token.Position // position of the expression
	Expr string
}

// SizeTests returns the texts of the files with size=, by name, with statements that evaluate the
// expressions in place of the markers, and nothing else inserted: such a text compiles if and only
// if the expressions do. /*line*/ directives make the compiler report the position in the
// directive.
func (u *Unit) SizeTests() (texts map[string][]byte, sizes []Size) {
	texts = map[string][]byte{}
	for _, f := range u.files {
		e := &edits{text: f.Text}
		add := func(p *Point, at int) {
			if !p.sizePos.IsValid() {
				return
			}
			pos := f.position(p.sizePos)
			place := fmt.Sprintf("/*line :%d:%d*/", pos.Line, pos.Column)
			x := asInt(p.SizeExpr)
			if inner, ok := strings.CutPrefix(x, "int("); ok && x != p.SizeExpr {
				x = place + "int(" + place + strings.Replace(inner, p.SizeExpr, place+p.SizeExpr, 1)
			} else {
				x = "[1]int{" + place + x + "}"
			}
			e.insert(at, " _ = "+x+"; ")
			sizes = append(sizes, Size{pos, p.SizeExpr})
		}
		for _, fn := range f.functions {
			if fn.point != nil && !fn.point.Count {
				add(fn.point, f.offset(fn.body.Lbrace)+1)
			}
			for _, ev := range fn.events {
				if ev.op == opEnter {
					add(ev.point, ev.at)
				}
			}
		}
		if len(e.list) == 0 {
			continue
		}
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if isLineDirective(c.Text) { // the user's own would change the file name
					at := f.offset(c.Pos()) + len("//")
					e.replace(at, at+len("line"), "    ")
				}
			}
		}
		texts[f.Name] = e.apply(0, len(f.Text))
	}
	return texts, sizes
}

// Error returns the error in the expression. pos and message are the compiler's, from a text of
// SizeTests.
func (s Size) Error(pos token.Position, message string) *Error {
	// The shift is from asInt.
	if x, ok := strings.CutPrefix(message, "invalid operation: shifted operand "); ok {
		if x, ok := strings.CutSuffix(x, " must be integer"); ok {
			message = x + " is not an integer"
		}
	}
	return &Error{pos, "size=" + s.Expr + ": " + message,
		"write an integer expression that compiles where the marked code begins, as in size=len(x)"}
}
