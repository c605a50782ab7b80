package rewrite

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/markgen/markgen/rewrite/flow"
)

// scope walks a statement list that is the scope of p, or of no point if p is nil. from is the
// position after the opening brace or colon, to that of the closing brace or the next clause.
func (w *walker) scope(p *Point, list []ast.Stmt, from, to token.Pos) {
	if p == nil {
		w.list(list, from, to)
		return
	}
	start := w.f.offset(from)
	if p.Count {
		w.event(event{op: OpCount, at: start, after: start, point: p})
		w.list(list, from, to)
		return
	}
	slot := w.open(p)
	w.event(event{op: OpEnter, at: start, after: start, slot: slot, point: p})
	w.list(list, from, to)
	if !flow.Ends(list) {
		w.event(event{op: OpExit, at: w.f.offset(to), slot: slot, ends: w.opened(slot), n: 1, tail: true})
	}
	w.chain = w.chain[:slot]
}

func (w *walker) event(e event) int {
	w.fn.events = append(w.fn.events, e)
	return len(w.fn.events) - 1
}

// leave plants the end of every scope from slot depth on, before a statement that jumps.
func (w *walker) leave(at token.Pos, depth int) {
	if n := len(w.chain) - depth; n > 0 {
		w.event(event{op: OpExit, at: w.f.offset(at), slot: depth, ends: w.opened(depth), n: n})
	}
}

// list walks a statement list and the directives in it.
func (w *walker) list(list []ast.Stmt, from, to token.Pos) {
	w.lists++
	serial, open := w.lists, len(w.regions)
	for _, s := range list {
		d := w.inList(s.Pos(), serial, false, false)
		w.withDirective(d, func() { w.labelled(s, "", d) })
		for _, d := range w.before(s.End()) {
			w.stray(d, "")
		}
	}
	// A remaining mark or skip may apply to the clause that follows.
	w.inList(to, serial, true, flow.Ends(list))
	for _, r := range w.regions[open:] {
		if !r.crossed { // if it is crossed, its end has been reported
			w.fail(r.d.pos, "//perf:begin "+r.d.name+" has no //perf:end in the same block", "write //perf:end "+r.d.name+" where the region ends")
		}
		if r.point != nil && !r.point.Count {
			w.chain = w.chain[:len(w.chain)-1]
		}
	}
	w.regions = w.regions[:open]
}

// inList consumes the directives of a list up to a position and returns the mark or skip among
// them, which applies to the construct that starts there. end reports that the list ends there, and
// dead that control does not reach the position.
func (w *walker) inList(at token.Pos, serial int, end, dead bool) *directive {
	var attached *directive
	for w.next < len(w.f.dirs) && w.f.dirs[w.next].pos < at {
		d := w.f.dirs[w.next]
		if d.verb == "mark" || d.verb == "skip" {
			if end {
				return nil // it applies to the clause that follows, or to nothing
			}
			if attached != nil {
				w.fail(d.pos, "two directives on one thing", "leave one of //perf:"+attached.verb+" and //perf:"+d.verb)
			}
			attached = d
			w.next++
			continue
		}
		w.next++
		w.place(d, at, serial, end, dead)
	}
	return attached
}

// place plants the event of a directive between statements.
func (w *walker) place(d *directive, at token.Pos, serial int, end, dead bool) {
	e := event{at: w.f.offset(at), after: w.f.offset(d.end), tail: end}
	switch d.verb {
	case "pause", "resume":
		if dead {
			w.fail(d.pos, "//perf:"+d.verb+" is never reached", "put it in front of the statement that leaves the block")
			return
		}
		e.op = OpPause
		if d.verb == "resume" {
			e.op = OpResume
		}
		w.event(e)
	case "point":
		if dead {
			w.fail(d.pos, "//perf:point "+d.name+" is never reached", "put it in front of the statement that leaves the block")
			return
		}
		if e.point = w.point(KindPoint, d.pos, d.name, "point "+d.name, token.NoPos, token.NoPos, d); e.point != nil {
			if e.op = OpPoint; e.point.Count {
				e.op = OpCount
			}
			w.event(e)
		}
	case "begin":
		p := w.point(KindRegion, d.pos, d.name, "begin "+d.name, token.NoPos, token.NoPos, d)
		if dead {
			w.fail(d.pos, "//perf:begin "+d.name+" is never reached", "put it in front of the statement that leaves the block")
		}
		w.regions = append(w.regions, openRegion{d: d, point: p, list: serial})
		if p == nil || dead {
			return
		}
		e.op, e.point = OpCount, p
		if !p.Count {
			e.op, e.slot = OpEnter, w.open(p)
		}
		w.event(e)
	case "end":
		e.op, e.n = OpExit, 1
		w.endRegion(d, e, serial, dead)
	}
}

// endRegion closes the innermost region with the given event.
func (w *walker) endRegion(d *directive, exit event, serial int, dead bool) {
	if len(w.regions) == 0 {
		w.fail(d.pos, "//perf:end "+d.name+" without //perf:begin", "write //perf:begin "+d.name+" where the region starts")
		return
	}
	r := w.regions[len(w.regions)-1]
	if r.d.name != d.name {
		what, remedy := "//perf:end "+d.name+" without //perf:begin", "write //perf:begin "+d.name+" where the region starts"
		for i, other := range w.regions {
			if other.d.name == d.name {
				w.regions[i].crossed = true
				what = "//perf:end " + d.name + " crosses the region " + r.d.name + ", which begins at line " + strconv.Itoa(w.f.position(r.d.pos).Line)
				remedy = "end " + r.d.name + " first"
			}
		}
		w.fail(d.pos, what, remedy)
		return
	}
	if r.list != serial {
		w.fail(d.pos, "//perf:end "+d.name+" stands in another block than its //perf:begin", "put both into one block")
		return
	}
	w.regions = w.regions[:len(w.regions)-1]
	if r.point == nil || r.point.Count {
		return
	}
	r.point.lines = lines{within: w.f.position(d.pos).Line - r.point.Pos.Line + 1}
	exit.slot = len(w.chain) - 1
	exit.ends = w.opened(exit.slot)
	if !dead {
		w.event(exit)
	}
	w.chain = w.chain[:exit.slot]
}

// before consumes and returns the directives before a position.
func (w *walker) before(at token.Pos) []*directive {
	start := w.next
	for w.next < len(w.f.dirs) && w.f.dirs[w.next].pos < at {
		w.next++
	}
	return w.f.dirs[start:w.next]
}

// attached returns the mark or skip above a declaration or a clause, or nil. Other directives are
// errors.
func (w *walker) attached(at token.Pos, remedy string) *directive {
	var attached *directive
	for _, d := range w.before(at) {
		switch {
		case d.verb != "mark" && d.verb != "skip":
			w.stray(d, remedy)
		case attached != nil:
			w.fail(d.pos, "two directives on one thing", "leave one of //perf:"+attached.verb+" and //perf:"+d.verb)
		default:
			attached = d
		}
	}
	return attached
}

func (w *walker) stray(d *directive, remedy string) {
	what := "//perf:" + d.verb + " is attached to nothing"
	switch d.verb {
	case "mark", "skip":
		if remedy == "" {
			remedy = "put it right above a function, function literal, for, if, switch, select, case or block"
		}
	default:
		what = "//perf:" + d.verb + " does not stand between statements"
		if remedy == "" {
			remedy = "put it into a function, on a line of its own between two statements"
		}
	}
	w.fail(d.pos, what, remedy)
}

// labelled walks a statement with the given label, or ""; d is the mark or skip above it. That does
// not apply to function literals in the statement's header.
func (w *walker) labelled(s ast.Stmt, label string, d *directive) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		if w.labels == nil {
			w.labels = map[string][]int{}
		}
		w.labels[s.Label.Name] = append([]int(nil), w.chain...)
		w.fn.labels = append(w.fn.labels, s)
		if inner := w.attached(s.Stmt.Pos(), "put it above the label: nothing may come between a label and its statement"); inner != nil {
			if d != nil {
				w.fail(inner.pos, "two directives on one thing", "leave one of them")
			}
			w.withDirective(inner, func() { w.labelled(s.Stmt, s.Label.Name, inner) })
			return
		}
		w.labelled(s.Stmt, s.Label.Name, d)
	case *ast.BlockStmt:
		part := "block#" + strconv.Itoa(w.fn.next("block"))
		p := w.point(KindBlock, s.Lbrace, part, "{}", s.Lbrace, s.Rbrace, d)
		w.scope(p, s.List, s.Lbrace+1, s.Rbrace)
	case *ast.IfStmt:
		w.ifStmt(s, d, 1)
	case *ast.ForStmt:
		w.loop(s.For, s.Body, label, d, s.Init, s.Cond, s.Post)
	case *ast.RangeStmt:
		w.loop(s.For, s.Body, label, d, s.Key, s.Value, s.X)
	case *ast.SwitchStmt:
		part := "switch#" + strconv.Itoa(w.fn.next("switch"))
		w.literals(s.Init, s.Tag)
		w.clauses(s.Switch, s.Body, label, part, d)
	case *ast.TypeSwitchStmt:
		part := "switch#" + strconv.Itoa(w.fn.next("switch"))
		w.literals(s.Init, s.Assign)
		w.clauses(s.Switch, s.Body, label, part, d)
	case *ast.SelectStmt:
		w.clauses(s.Select, s.Body, label, "select#"+strconv.Itoa(w.fn.next("select")), d)
	case *ast.BranchStmt:
		w.plain(s, d)
		w.branch(s)
	default:
		w.plain(s, d)
	}
}

// plain walks a statement without blocks of its own.
func (w *walker) plain(s ast.Stmt, d *directive) {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		w.fn.returns = append(w.fn.returns, returnSite{s, w.opened(0)})
	case *ast.DeferStmt:
		w.fn.defers++
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			w.fn.types = true
		}
	}
	if d != nil || w.pending != nil {
		w.pending, w.found = d, 0
		w.literals(s)
		w.settle(d, "plain statement")
	} else {
		w.literals(s)
	}
	w.strays(s.End())
}

// strays reports all directives before a position as errors: nothing can be marked there, as in
// the middle of a statement or of a function's signature.
func (w *walker) strays(at token.Pos) {
	for _, d := range w.before(at) {
		w.stray(d, "")
	}
}

func (w *walker) loop(pos token.Pos, body *ast.BlockStmt, label string, d *directive, headers ...ast.Node) {
	part := "for#" + strconv.Itoa(w.fn.next("for"))
	w.fn.loops++
	p := w.point(KindLoop, pos, part, w.f.normal(pos, body.Lbrace), body.Lbrace, body.Rbrace, d)
	w.literals(headers...)
	w.strays(body.Lbrace)
	w.targets = append(w.targets, target{label, len(w.chain), true})
	w.scope(p, body.List, body.Lbrace+1, body.Rbrace)
	w.targets = w.targets[:len(w.targets)-1]
}

// ifStmt walks an if statement; link is its position in an else-if chain, from 1. A directive
// above the chain applies to all its ifs.
func (w *walker) ifStmt(s *ast.IfStmt, d *directive, link int) {
	part := "if#" + strconv.Itoa(w.fn.next("if"))
	header := w.f.normal(s.If, s.Body.Lbrace)
	if link > 1 && d != nil && d.name != "" {
		linked := *d
		linked.name = d.name + "#" + strconv.Itoa(link)
		d = &linked
	}
	p := w.point(KindBranch, s.If, part+".then", header+" then", s.Body.Lbrace, s.Body.Rbrace, d)
	w.literals(s.Init, s.Cond)
	w.strays(s.Body.Lbrace)
	w.scope(p, s.Body.List, s.Body.Lbrace+1, s.Body.Rbrace)
	switch e := s.Else.(type) {
	case *ast.IfStmt:
		w.ifStmt(e, d, link+1)
	case *ast.BlockStmt:
		w.strays(e.Lbrace)
		p := w.point(KindBranch, e.Lbrace, part+".else", header+" else", e.Lbrace, e.Rbrace, d)
		w.scope(p, e.List, e.Lbrace+1, e.Rbrace)
	}
}

// clauses walks the cases of a switch or select.
func (w *walker) clauses(pos token.Pos, body *ast.BlockStmt, label, part string, d *directive) {
	head := w.f.normal(pos, body.Lbrace) + " "
	w.strays(body.Lbrace)
	if len(body.List) == 0 && d != nil && d.verb == "mark" {
		w.fail(d.pos, "//perf:mark marks cases, and there are none", "leave it out, or put it above the statement to mark")
	}
	w.targets = append(w.targets, target{label, len(w.chain), false})
	for i, c := range body.List {
		end := body.Rbrace
		if i+1 < len(body.List) {
			end = body.List[i+1].Pos()
		}
		own := w.attached(c.Pos(), "")
		if own == nil && d != nil && d.verb == "mark" {
			own = d
		}
		var list []ast.Stmt
		var colon token.Pos
		var headers []ast.Node
		switch c := c.(type) {
		case *ast.CaseClause:
			list, colon = c.Body, c.Colon
			for _, x := range c.List {
				headers = append(headers, x)
			}
		case *ast.CommClause:
			list, colon = c.Body, c.Colon
			headers = append(headers, c.Comm)
		}
		w.withDirective(own, func() {
			p := w.point(KindBranch, c.Pos(), part+".case#"+strconv.Itoa(i+1), head+w.f.normal(c.Pos(), colon), colon, end, own)
			if p != nil {
				p.clause = len(head)
			}
			w.literals(headers...)
			w.strays(colon)
			w.scope(p, list, colon+1, end)
		})
	}
	w.strays(body.Rbrace)
	w.targets = w.targets[:len(w.targets)-1]
}

// branch plants the ends of the scopes that a jump leaves. For goto, whose label may follow, body
// completes the event.
func (w *walker) branch(s *ast.BranchStmt) {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
		w.fn.jumps = append(w.fn.jumps, s)
	}
	switch s.Tok {
	case token.GOTO:
		if len(w.chain) > 0 {
			at := w.event(event{op: OpExit, at: w.f.offset(s.Pos())})
			w.gotos = append(w.gotos, pendingGoto{label, at, append([]int(nil), w.chain...)})
		}
	case token.BREAK, token.CONTINUE, token.FALLTHROUGH:
		for i := len(w.targets) - 1; i >= 0; i-- {
			t := w.targets[i]
			if label != "" && t.label != label || s.Tok == token.CONTINUE && !t.loop {
				continue
			}
			w.leave(s.Pos(), t.depth)
			return
		}
	}
}
