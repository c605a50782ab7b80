package random

import (
	"strconv"
	"strings"
)

// num returns an expression of type int.
func (g *maker) num(d int) string {
	if d <= 0 {
		if len(g.ints) > 0 && !g.oneIn(4) {
			return either(g, g.ints...)
		}
		return strconv.Itoa(g.below(12) - 3)
	}
	switch g.below(19) {
	case 0, 1, 2, 3:
		return sprintf("(%s %s %s)", g.num(d-1), either(g, "+", "-", "*", "&", "|", "^"), g.num(d-1))
	case 4:
		return sprintf("(%s %% 7)", g.num(d-1))
	case 5:
		return sprintf("(%s / max(1, %s))", g.num(d-1), g.num(d-1))
	case 6:
		if len(g.slices) > 0 {
			return sprintf("told.Pick(%s, %s)", either(g, g.slices...), g.num(d-1))
		}
		return "c.Depth()"
	case 7:
		if len(g.slices) > 0 {
			return sprintf("len(%s)", either(g, g.slices...))
		}
		return "len(c.Name())"
	case 8:
		if len(g.texts) > 0 {
			return sprintf("len(%s)", either(g, g.texts...))
		}
		return "1"
	case 9:
		if g.oneIn(6) {
			if len(g.slices) > 0 && g.oneIn(2) {
				return sprintf("%s[told.Int(%s)]", either(g, g.slices...), g.num(d-1))
			}
			return either(g, sprintf("(%s / told.Int(%s))", g.num(d-1), g.num(0)), sprintf("(1 << told.Int(%s))", g.num(0)), sprintf("any(%s).(int)", either(g, `"x"`, "1", g.num(0))))
		}
		return g.num(0)
	case 10, 11, 12, 13:
		return g.call(d - 1)
	case 14:
		if g.literals < mostLiterals {
			p := g.name("p")
			return sprintf("(func(%s int) int {%s}(%s))", p, g.literal(d, g.oneIn(3), "int", p), g.num(d-1))
		}
		return g.num(d - 1)
	case 15:
		if len(g.pairs) > 0 {
			return either(g, g.pairs...) + either(g, ".a", ".b")
		}
		return "told.Byte(" + g.num(d-1) + ")"
	default:
		return g.num(d - 1)
	}
}

// cond returns an expression of type bool.
func (g *maker) cond(d int) string {
	switch g.below(8) {
	case 0:
		return sprintf("%s %s %s", g.num(d-1), either(g, "<", ">", "==", "!=", "<="), g.num(d-1))
	case 1:
		if d > 0 {
			return sprintf("(%s && %s)", g.cond(d-1), g.cond(d-1))
		}
	case 2:
		if d > 0 {
			return sprintf("(%s || !(%s))", g.cond(d-1), g.cond(d-1))
		}
	case 3:
		return sprintf("c.One(%d)", 2+g.below(4))
	}
	return "c.Bit()"
}

// text returns an expression of type string.
func (g *maker) text(d int) string {
	switch {
	case len(g.texts) > 0 && g.oneIn(2):
		return either(g, g.texts...)
	case g.oneIn(3) && d > 0:
		return sprintf("told.String(%s)", g.num(d-1))
	}
	return strconv.Quote(strings.Repeat("ab", g.below(3)))
}

// call returns an expression of type int that calls one of the later functions.
func (g *maker) call(d int) string {
	if g.next >= len(g.functions) {
		return g.num(d)
	}
	i := g.next + g.below(min(6, len(g.functions)-g.next))
	return g.callOf(i, d)
}

// callOf returns an expression that calls function i.
func (g *maker) callOf(i, d int) string {
	fn := g.functions[i]
	a, b := g.num(d), g.num(d-1)
	switch fn.kind {
	case plain, named, recursive, tiny:
		return sprintf("%s(c, %s, %s)", fn.name, a, b)
	case pair, namedPair:
		return sprintf("told.First(%s(c, %s))", fn.name, a)
	case nothing:
		return sprintf("told.After(c, %s, %s)", fn.name, a)
	case variadic:
		if len(g.slices) > 0 && g.oneIn(2) {
			return sprintf("%s(c, %s, %s...)", fn.name, a, either(g, g.slices...))
		}
		return sprintf("%s(c, %s)", fn.name, either(g, a, a+", "+b, a+", "+b+", 3"))
	case method:
		return either(g, sprintf("(two{%s, %s}).%s(c, %s)", a, b, fn.name, g.num(0)), sprintf("two.%s(two{%s, 1}, c, %s)", fn.name, a, b), sprintf("any(two{%s, 2}).(interface{ %s(*told.C, int) int }).%s(c, %s)", a, fn.name, fn.name, b))
	case pointerMethod:
		return either(g, sprintf("(&two{%s, %s}).%s(c, %s)", a, b, fn.name, g.num(0)), sprintf("(*two).%s(&two{%s, 1}, c, %s)", fn.name, a, b), sprintf("(&outer{two: &two{%s, 2}}).%s(c, %s)", a, fn.name, b), sprintf("told.Apply(c, (&two{1, 2}).%s, %s)", fn.name, a))
	case generic:
		return either(g, sprintf("told.First2(%s(c, %s, %s))", fn.name, a, b), sprintf("told.First2(%s[string](c, \"t\", %s))", fn.name, b), sprintf("told.First2(%s(c, two{1, 2}, %s))", fn.name, b))
	case genericMethod:
		return either(g, sprintf("(&box[int]{v: %s}).%s(c, %s)", a, fn.name, b), sprintf("(&box[string]{}).%s(c, %s)", fn.name, b))
	case callback:
		if g.literals < mostLiterals {
			p := g.name("p")
			return sprintf("%s(c, func(%s int) int {%s}, %s)", fn.name, p, g.literal(d, false, "int", p), b)
		}
		return sprintf("%s(c, nil, %s)", fn.name, b)
	case iterator:
		return sprintf("told.Sum(c, %s(c, %s))", fn.name, a)
	}
	panic(fn.kind)
}

// literal returns the body of a function literal with a result of type result ("" for none).
func (g *maker) literal(d int, short bool, result string, params ...string) string {
	v, labels, ret, loop, brk := g.visible, g.labels, g.ret, g.inLoop, g.inCase
	defer func() { g.visible, g.labels, g.ret, g.inLoop, g.inCase = v, labels, ret, loop, brk; g.literals-- }()
	g.ints = append(g.ints[:len(g.ints):len(g.ints)], params...)
	g.labels, g.inLoop, g.inCase = nil, false, false
	g.literals++
	g.ret = func() string {
		if result == "" {
			return "return"
		}
		return "return " + g.num(1)
	}
	if short {
		return sprintf(" told.F(PLACE); %s ", g.ret())
	}
	s := "\ntold.F(PLACE)\n" + g.stmts(d, 1+g.below(4))
	if result != "" || g.oneIn(5) {
		s += g.ret() + "\n"
	}
	return s
}
