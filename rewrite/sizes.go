package rewrite

import (
	"fmt"
	"go/token"
	"strings"
)

// What stands in a size= is known to be an expression, and the compiler alone knows whether it is an integer of names
// that are known there. It says so of marked text, in which the expression is elsewhere, and among other code. So where
// marked source does not compile, and the source as it is does, SizeTests makes a text to be compiled in its place.

// A Size is the expression of one size=.
type Size struct {
	Pos  token.Position // of the expression
	Expr string
}

// SizeTests returns the texts of the files with size=, with nothing but what evaluates the expressions where a marker
// would: such a text compiles if and only if the expressions do. What the compiler says of one has the expression's
// place in the source, for which the text has /*line*/ directives.
func (u *Unit) SizeTests() (texts map[string][]byte, sizes []Size) {
	texts = map[string][]byte{}
	for _, f := range u.files {
		var pieces []piece
		add := func(p *Point, at piece) {
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
			at.lines = []string{"_ = " + x}
			pieces = append(pieces, at)
			sizes = append(sizes, Size{pos, p.SizeExpr})
		}
		for _, fn := range f.functions {
			if fn.point != nil && !fn.point.Count {
				add(fn.point, piece{at: f.offset(fn.body.Lbrace) + 1})
			}
			for _, e := range fn.events {
				if e.op == opEnter {
					add(e.point, piece{at: e.at, stmt: e.stmt, tail: e.tail})
				}
			}
		}
		if len(pieces) == 0 {
			continue
		}
		e := &edits{text: f.Text}
		for _, p := range pieces {
			p.inLine(e)
		}
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if isLineDirective(c.Text) { // of the user's: names another file
					at := f.offset(c.Pos()) + len("//")
					e.replace(at, at+len("line"), "    ")
				}
			}
		}
		texts[f.Name] = e.apply(0, len(f.Text))
	}
	return texts, sizes
}

// Error is what is wrong with the expression, in the compiler's words about a text of SizeTests.
func (s Size) Error(pos token.Position, message string) *Error {
	// asInt shifts what is to be an integer.
	if x, ok := strings.CutPrefix(message, "invalid operation: shifted operand "); ok {
		if x, ok := strings.CutSuffix(x, " must be integer"); ok {
			message = x + " is not an integer"
		}
	}
	return &Error{pos, "size=" + s.Expr + ": " + message,
		"write an integer expression that compiles where the marked code begins, as in size=len(x)"}
}
