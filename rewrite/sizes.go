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

// A Size is the expression of one size= or label=.
type Size struct {
	Pos  token.Position // position of the expression
	Key  string         // "size" or "label"
	Expr string
}

// SizeTests returns the texts of the files with size= or label=, by name, with statements that
// evaluate the expressions in place of the markers, and nothing else inserted: such a text compiles
// if and only if the expressions do. /*line*/ directives make the compiler report the position in
// the directive.
func (u *Unit) SizeTests() (texts map[string][]byte, sizes []Size) {
	texts = map[string][]byte{}
	for _, f := range u.files {
		e := &edits{text: f.Text}
		add := func(p *Point, at int) {
			if p.sizePos.IsValid() {
				pos := f.position(p.sizePos)
				e.insert(at, " _ = "+sizeTest(pos, p.SizeExpr)+"; ")
				sizes = append(sizes, Size{pos, "size", p.SizeExpr})
			}
			if p.labelAt.IsValid() {
				pos := f.position(p.labelAt)
				e.insert(at, " _ = "+placed(pos, asString(p.Label), p.Label)+"; ")
				sizes = append(sizes, Size{pos, "label", p.Label})
			}
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

// sizeTest returns an expression that compiles if x is an integer.
func sizeTest(pos token.Position, x string) string {
	if as := asInt(x); strings.HasPrefix(as, "int(") && as != x {
		return placed(pos, as, x)
	}
	return "[1]int{" + lineComment(pos) + asInt(x) + "}"
}

// placed returns the conversion with x at a position in the source.
func placed(pos token.Position, conversion, x string) string {
	name, inner, _ := strings.Cut(conversion, "(")
	return lineComment(pos) + name + "(" + lineComment(pos) + strings.Replace(inner, x, lineComment(pos)+x, 1)
}

// lineComment makes the compiler report errors behind it at a position.
func lineComment(pos token.Position) string {
	return fmt.Sprintf("/*line :%d:%d*/", pos.Line, pos.Column)
}

// Error returns the error in the expression. pos and message are the compiler's, from a text of
// SizeTests.
func (s Size) Error(pos token.Position, message string) *Error {
	kind, example := "an integer", "size=len(x)"
	if s.Key == "label" {
		kind, example = "a string", "label=r.Method"
		// Adding "" is from asString.
		if strings.HasPrefix(message, `cannot convert "" (untyped string constant`) || strings.Contains(message, "mismatched types") && strings.Contains(message, "untyped string") {
			message = s.Expr + " is not a string"
		}
	}
	// The shift is from asInt.
	if x, ok := strings.CutPrefix(message, "invalid operation: shifted operand "); ok {
		if x, ok := strings.CutSuffix(x, " must be integer"); ok {
			message = x + " is not an integer"
		}
	}
	return &Error{pos, s.Key + "=" + s.Expr + ": " + message,
		"write " + kind + " expression that compiles where the marked code begins, as in " + example}
}
