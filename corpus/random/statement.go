package random

import "strings"

// stmts returns n statements, in a scope of their own.
func (g *maker) stmts(d, n int) string {
	v := g.visible
	defer func() { g.visible = v }()
	g.visible = visible{clip(v.ints), clip(v.slices), clip(v.texts), clip(v.pairs)}
	var s strings.Builder
	for range n {
		if g.oneIn(8) {
			s.WriteString(either(g, "// a comment\n", "\n", "/* another */ ", ";", "\n//perf:point "+g.name("pt")+"\n"))
		}
		st := g.stmt(d)
		if strings.HasPrefix(st, "//perf") {
			s.WriteString("\n")
		}
		s.WriteString(st)
		if g.oneIn(12) && !strings.HasPrefix(st, "//perf") {
			s.WriteString(" // at the end")
		}
		s.WriteString("\n")
	}
	return s.String()
}

func clip(s []string) []string { return s[:len(s):len(s)] }

// body returns the statements of a branch, beginning with its place.
func (g *maker) body(d int) string {
	return "told.B(PLACE)\n" + g.stmts(d-1, g.below(4))
}

// labelled adds the label to a statement if the statement uses it.
func labelled(l label, s string) string {
	if l != (label{}) && strings.Contains(s, " "+l.name+"\n") {
		return l.name + ":\n" + s
	}
	return s
}

// loopBody returns the body of a loop that may have a label; it uses the variables of the loop's
// header.
func (g *maker) loopBody(d int, l label, used ...string) string {
	labels, loop, brk := g.labels, g.inLoop, g.inCase
	if l != (label{}) {
		g.labels = append(labels[:len(labels):len(labels)], l)
	}
	g.inLoop, g.inCase = true, true
	use := ""
	for _, u := range used {
		use += either(g, "_ = "+u, "c.Out("+u+")") + "\n"
	}
	s := "told.L(PLACE)\n" + use + "if c.Spent() {\ntold.B(PLACE)\n" + either(g, "break", g.ret()) + "\n}\n" + g.stmts(d-1, 1+g.below(4))
	g.labels, g.inLoop, g.inCase = labels, loop, brk
	return s
}

// declare returns a variable declaration, with a use.
func (g *maker) declare(name, value string) string {
	g.ints = append(g.ints, name)
	return sprintf("%s := %s\n%s", name, value, either(g, "_ = "+name, sprintf("c.Out(%s)", name)))
}

// stmt returns one or more statements, nested at most d deep.
func (g *maker) stmt(d int) string {
	if d <= 0 {
		switch g.below(4) {
		case 0:
			if len(g.ints) > 0 {
				return sprintf("%s %s %s", either(g, g.ints...), either(g, "=", "+=", "^="), g.num(1))
			}
		case 1:
			return g.declare(g.name("v"), g.num(1))
		}
		return sprintf("c.Out(%s)", g.num(1))
	}
	switch g.below(45) {
	case 0, 1:
		return g.declare(g.name("v"), g.num(d))
	case 2:
		s := g.name("s")
		v := either(g, sprintf("[]int{%s, %s, 3}", g.num(1), g.num(1)), "make([]int, 5)", "[]int(nil)", "append([]int{1}, 2, 3)")
		g.slices = append(g.slices, s)
		return sprintf("%s := %s\n_ = %s", s, v, s)
	case 3:
		s := g.name("t")
		v := g.text(d)
		g.texts = append(g.texts, s)
		return sprintf("var %s = %s\nc.Text(%s)", s, v, s)
	case 4:
		p := g.name("w")
		v := sprintf("two{%s, %s}", g.num(1), g.num(1))
		g.pairs = append(g.pairs, p)
		return sprintf("%s := %s\n_ = %s", p, v, either(g, p, "&"+p))
	case 5:
		if len(g.slices) > 0 {
			s := either(g, g.slices...)
			return either(g, sprintf("%s = append(%s, %s)", s, s, g.num(1)), sprintf("if len(%s) > 2 { told.B(PLACE); %s[1], %s[2] = %s[2], %s }", s, s, s, s, g.num(1)))
		}
		return sprintf("c.Out(%s)", g.num(d))
	case 6, 7, 8:
		return g.ifStmt(d)
	case 9, 10, 11, 12, 13:
		return g.forStmt(d)
	case 14, 15, 16:
		return g.switchStmt(d)
	case 17:
		return g.selectStmt(d)
	case 18, 19, 20:
		return g.deferStmt(d)
	case 21:
		return either(g, sprintf("if c.One(%d) {\ntold.B(PLACE)\npanic(%s)\n}", 8+g.below(20), either(g, g.num(1), `"text"`, "error(told.Err)")),
			sprintf("if c.One(%d) {\ntold.B(PLACE)\nvar m map[string]int\nm[\"a\"] = %s\n}", 8+g.below(20), g.num(1)))
	case 22:
		return sprintf("if c.Bit() {\ntold.B(PLACE)\n%s\n}", g.ret())
	case 23:
		return either(g, "c.Line()", "c.Frames()", "told.Lines(c, func() int { told.F(PLACE); return told.Caller() })")
	case 24:
		if g.oneIn(2) {
			x := g.name("region")
			return sprintf("//perf:begin %s\n%s//perf:end %s", x, g.stmts(d-1, 1+g.below(3)), x)
		}
		return "{\n" + g.stmts(d-1, 1+g.below(3)) + "}"
	case 25, 26:
		return g.goStmt(d)
	case 27:
		return "if c.Leave() {\ntold.B(PLACE)\nruntime.Goexit()\n}"
	case 28:
		if g.inLoop && g.inCase {
			return sprintf("if c.One(3) {\ntold.B(PLACE)\n%s\n}", either(g, "break", "continue"))
		}
		return sprintf("c.Out(%s)", g.num(d))
	case 29, 30:
		if len(g.labels) > 0 {
			l := g.labels[g.below(len(g.labels))]
			w := "break "
			if l.loop && g.oneIn(2) {
				w = "continue "
			}
			return sprintf("if c.One(3) {\ntold.B(PLACE)\n%s%s\n}", w, l.name)
		}
		return g.ifStmt(d)
	case 31: // forward goto
		l := g.name("X")
		return sprintf("if c.Bit() {\ntold.B(PLACE)\ngoto %s\n}\n{\n%s}\n%s:\n%s", l, g.stmts(d-1, 1+g.below(3)), l, either(g, "c.Out(1)", ";", "{\n}", g.forStmt(d-1)))
	case 32: // backward goto
		l := g.name("Y")
		v := g.visible
		s := sprintf("%s:\n%s\nif !c.Spent() && c.Bit() {\ntold.B(PLACE)\ngoto %s\n}", l, strings.TrimSpace(g.plainStmt(d)), l)
		g.visible = v
		return "{\n" + s + "\n}"
	case 33:
		h := g.name("h")
		p := g.name("p")
		return sprintf("%s := func(%s int) int {%s}\nc.Out(%s(%s) + %s(2))", h, p, g.literal(d-1, g.oneIn(3), "int", p), h, g.num(1), h)
	case 34:
		if g.next < len(g.functions) {
			for i := g.next; i < len(g.functions); i++ {
				if k := g.functions[i].kind; k == pair || k == namedPair {
					a, b, x := g.name("a"), g.name("err"), g.num(1)
					g.ints = append(g.ints, a)
					return sprintf("%s, %s := %s(c, %s)\nif %s != nil {\ntold.B(PLACE)\nc.Value(%s)\n%s}\n_ = %s", a, b, g.functions[i].name, x, b, b, either(g, "", g.ret()+"\n"), a)
				}
			}
		}
		return sprintf("c.Out(%s)", g.call(d))
	case 35:
		return sprintf("switch {\n}\nconst %s = 3", g.name("k"))
	case 36:
		x := g.name("q")
		return sprintf("type %s struct{ x int }\nc.Out(%s{%s}.x)", x, x, g.num(1))
	case 37:
		h := g.name("h")
		return sprintf("var %s func(int) int\n%s = func(n int) int {\ntold.F(PLACE)\nif n <= 0 || c.Spent() {\ntold.B(PLACE)\nreturn %s\n}\nreturn %s(n-1) + %s\n}\nc.Out(%s(3))", h, h, g.num(0), h, g.num(0), h)
	default:
		return sprintf("c.Out(%s)", g.num(d))
	}
}

// plainStmt returns a statement for between a label and the goto back to it, which must not declare
// anything.
func (g *maker) plainStmt(d int) string {
	v := g.visible
	defer func() { g.visible = v }()
	return either(g, sprintf("c.Out(%s)", g.num(1)), g.ifStmt(d-1), "{\n"+g.stmts(d-1, 2)+"}", g.switchStmt(d-1))
}

func (g *maker) ifStmt(d int) string {
	v := g.visible
	defer func() { g.visible = v }()
	var s string
	switch g.below(4) {
	case 0:
		x := g.name("i")
		e := g.num(1)
		g.ints = append(clip(g.ints), x)
		s = sprintf("if %s := %s; %s > 0 && %s {\n%s}", x, e, x, g.cond(1), g.body(d))
	default:
		s = sprintf("if %s {\n%s}", g.cond(2), g.body(d))
	}
	for g.oneIn(3) {
		s += sprintf(" else if %s {\n%s}", g.cond(2), g.body(d))
	}
	if g.oneIn(2) {
		s += sprintf(" else {\n%s}", g.body(d))
	}
	return s
}

func (g *maker) forStmt(d int) string {
	v := g.visible
	defer func() { g.visible = v }()
	var l label
	if g.oneIn(2) {
		l = label{name: g.name("L"), loop: true}
	}
	i := g.name("i")
	var s string
	add := func() { g.ints = append(clip(g.ints), i) }
	switch g.below(10) {
	case 0, 1:
		n := g.below(5)
		add()
		s = sprintf("for %s := 0; %s < %d; %s++ {\n%s}", i, i, n, i, g.loopBody(d, l))
	case 2:
		s = sprintf("for range %d {\n%s}", g.below(4), g.loopBody(d, l))
	case 3:
		e := g.num(1)
		add()
		s = sprintf("for %s := range min(4, %s) {\n%s}", i, e, g.loopBody(d, l, i))
	case 4:
		if len(g.slices) > 0 {
			e := either(g, g.slices...)
			add()
			s = sprintf("for _, %s := range %s {\n%s}", i, e, g.loopBody(d, l, i))
		} else {
			add()
			s = sprintf("for %s := range []int{1, 2, 3} {\n%s}", i, g.loopBody(d, l, i))
		}
	case 5:
		s = sprintf("for c.Bit() {\n%s}", g.loopBody(d, l))
	case 6:
		s = sprintf("for {\n%s%s\n}", g.loopBody(d, l), either(g, "if c.Bit() {\ntold.B(PLACE)\nbreak\n}", "break"))
	case 7:
		e := g.text(1)
		add()
		s = sprintf("for %s := range %s {\n%s}", i, e, g.loopBody(d, l, i))
	default:
		var its []int
		for k := g.next; k < len(g.functions); k++ {
			if g.functions[k].kind == iterator {
				its = append(its, k)
			}
		}
		if len(its) > 0 {
			e := sprintf("%s(c, %s)", g.functions[its[g.below(len(its))]].name, g.num(1))
			add()
			s = sprintf("for %s := range %s {\n%s}", i, e, g.loopBody(d, l, i))
		} else {
			add()
			s = sprintf("for %s := range told.Seq(3) {\n%s}", i, g.loopBody(d, l, i))
		}
	}
	return labelled(l, s)
}

// clause returns a clause of a switch or select.
func (g *maker) clause(d int, head string) string {
	s := g.stmts(d-1, g.below(3))
	if g.inCase && g.oneIn(6) {
		s += "if c.Bit() {\ntold.B(PLACE)\nbreak\n}\n" + g.stmts(d-1, 1)
	}
	return sprintf("%s:\ntold.B(PLACE)\n%s", head, s)
}

func (g *maker) switchStmt(d int) string {
	v, labels, brk := g.visible, g.labels, g.inCase
	defer func() { g.visible, g.labels, g.inCase = v, labels, brk }()
	var l label
	if g.oneIn(3) {
		l = label{name: g.name("L")}
		g.labels = append(labels[:len(labels):len(labels)], l)
	}
	g.inCase = true
	n := 1 + g.below(4)
	var cs []string
	var head string
	through := false
	switch g.below(4) {
	case 0, 1:
		head = sprintf("switch %s & 3 {", g.num(1))
		if g.oneIn(3) {
			x := g.name("i")
			head = sprintf("switch %s := %s; %s & 3 {", x, g.num(1), x)
			g.ints = append(clip(g.ints), x)
		}
		for k := range n {
			cs = append(cs, g.clause(d, either(g, sprintf("case %d", k), sprintf("case %d, %d", k, 100+k))))
		}
		through = true
	case 2:
		head = "switch {"
		for range n {
			cs = append(cs, g.clause(d, "case "+g.cond(1)))
		}
		through = true
	default:
		x := g.name("y")
		head = sprintf("switch %s := any(%s).(type) {", x, either(g, g.num(1), g.text(1), "told.Err", "two{}", "nil"))
		for _, t := range []string{"int", "string, error", "nil", "two"}[g.below(3):] {
			cs = append(cs, g.clause(d, "case "+t)+"_ = "+x+"\n")
		}
	}
	if g.oneIn(2) {
		g.rand.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
		at := g.below(len(cs) + 1)
		cs = append(cs[:at:at], append([]string{g.clause(d, "default")}, cs[at:]...)...)
	}
	if through {
		for k := range len(cs) - 1 {
			if g.oneIn(5) {
				cs[k] += "fallthrough\n"
			}
		}
	}
	return labelled(l, head+"\n"+strings.Join(cs, "")+"}")
}

func (g *maker) selectStmt(d int) string {
	v, brk := g.visible, g.inCase
	defer func() { g.visible, g.inCase = v, brk }()
	ch := g.name("ch")
	g.inCase = true
	x := g.name("x")
	s := sprintf("%s := make(chan int, 1)\n", ch)
	if g.oneIn(2) {
		s += sprintf("%s <- %s\n", ch, g.num(0))
	}
	def := g.clause(d, "default")
	var c1 string
	switch g.below(3) {
	case 0:
		c1 = g.clause(d, sprintf("case %s <- %s", ch, g.num(1)))
	case 1:
		g.ints = append(clip(g.ints), x)
		c1 = g.clause(d, sprintf("case %s := <-%s", x, ch)) + "_ = " + x + "\n"
	default:
		c1 = g.clause(d, "case <-"+ch)
	}
	return s + "select {\n" + either(g, c1+def, def+c1) + "}"
}

func (g *maker) deferStmt(d int) string {
	switch g.below(6) {
	case 0:
		return sprintf("defer c.Out(%s)", g.num(1))
	case 1:
		return "defer c.Recover()"
	case 2:
		if g.next < len(g.functions) {
			i := g.next + g.below(len(g.functions)-g.next)
			if k := g.functions[i].kind; k == plain || k == nothing || k == variadic || k == recursive {
				if k == nothing {
					return sprintf("defer %s(c, %s)", g.functions[i].name, g.num(1))
				}
				return sprintf("defer %s(c, %s, %s)", g.functions[i].name, g.num(1), g.num(0))
			}
		}
		return "defer c.Recover()"
	case 3:
		end := ""
		if g.ends != "" && g.literals == 0 {
			end = g.ends + "\n"
		}
		return sprintf("defer func() {\ntold.F(PLACE)\nif v := recover(); v != nil {\ntold.B(PLACE)\nc.Value(v)\n%s}\n}()", end)
	default:
		if g.literals >= mostLiterals {
			return "defer c.Line()"
		}
		rec := either(g, "", "c.Value(recover())\n", "defer c.Recover()\n", "defer func() { told.F(PLACE); c.Value(recover()) }()\n")
		if g.ends != "" && g.literals == 0 {
			rec += g.ends + "\n"
		}
		return sprintf("defer func() {%s}()", strings.Replace(g.literal(d-1, false, ""), "told.F(PLACE)\n", "told.F(PLACE)\n"+rec, 1))
	}
}

func (g *maker) goStmt(d int) string {
	c := g.name("d")
	if g.literals >= mostLiterals-1 {
		return "c.Out(4)"
	}
	s := sprintf("%s := c.Fork()\n", c)
	switch g.below(3) {
	case 0:
		s += sprintf("go func(c *told.C) {%s}(%s)\n", strings.Replace(g.literal(d-1, false, ""), "told.F(PLACE)\n", "told.F(PLACE)\ndefer c.Done()\n", 1), c)
	case 1:
		s += sprintf("go func(c *told.C) {\ntold.F(PLACE)\ndefer c.Done()\nc.Out(%s)\n}(%s)\n", g.call(1), c)
	default:
		s += sprintf("go told.Go(%s, func(c *told.C) {%s})\n", c, g.literal(d-1, false, ""))
	}
	return s + sprintf("c.Join(%s)", c)
}
