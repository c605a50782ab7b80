package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite/flow"
	"github.com/markgen/markgen/rewrite/gc"
)

// Options control which points Find makes, and how their functions are planted.
type Options struct {
	All        bool              // every function, loop and branch, in addition to directives
	Tests      bool              // All applies to _test files as well
	Generated  bool              // mark generated files as well
	Sizes      bool              // functions without size= get one computed from their arguments: see argumentSizer
	Cover      bool              // a counter for every basic block that go test -cover counts
	Release    gc.Release        // release of the compiling toolchain; the zero value is the oldest
	Form       string            // one of Forms, forced on every function that can have it; "" lets Find choose
	Inline     bool              // the compiler knows FreePrefix, so that markers do not count against inlining
	InlineMain bool              // Inline applies to main packages as well
	Keep       func(*Point) bool // reports whether to keep a point that All makes; nil keeps all
	Adjust     func(*Point)      // called for each kept point; may set Sample, Group and Count; may be nil

	// Min leaves functions of fewer nodes, and without a loop, the markers that directives ask for;
	// 0 leaves all functions theirs.
	Min int

	// Leave returns why a kept point that is no region or point gets no marker, or "". Unlike a
	// point that Keep rejects it counts for the IDs of others. May be nil.
	Leave func(*Point) string
}

// Find reads the directives and finds the points of the unit. It is called once.
// A non-nil error is of type Errors and has all errors found.
func (u *Unit) Find(o Options) error {
	var errs Errors
	u.inline = o.Inline && (u.Name != "main" || o.InlineMain)
	w := &walker{u: u, o: o, names: map[string]*Point{}, tops: map[string]int{}}
	if o.Sizes {
		w.sizer = argumentSizer{}
		u.typeSpecs(func(spec *ast.TypeSpec) { w.sizer[spec.Name.Name] = spec.Type })
	}
	w.vars = &function{number: map[string]int{}, top: "init", prefix: u.Path + ".init"}
	top := u.topNames()
	for _, f := range u.files {
		f.left, f.explicit, f.top = f.generated && !o.Generated, o.Inline, top
	}
	if !u.numbered {
		u.numberOwn()
	}
	for _, f := range u.files {
		if f.left && !o.Cover {
			errs = append(errs, f.readDirectives()...) // malformed directives are errors here as well
			continue
		}
		if !f.left {
			errs = append(errs, f.readDirectives()...)
		}
		w.fileDecls(f)
	}
	errs = append(errs, w.errs...)
	if len(errs) > 0 {
		errs.sort()
		return errs
	}
	u.countNodes()
	for _, f := range u.files {
		for _, fn := range f.functions {
			fn.onlyCount()
		}
	}
	for _, p := range u.Points {
		if p.Left != "" {
			continue
		}
		if p.Count {
			p.counter, p.marker = len(u.counts), -1
			u.counts = append(u.counts, p)
		} else {
			p.marker, p.counter = len(u.timed), -1
			u.timed = append(u.timed, p)
		}
	}
	u.gates(o)
	return nil
}

// gates sets the gate of each timed point and chooses the form of each function: o.Form if the
// function can have it.
func (u *Unit) gates(o Options) {
	for _, f := range u.files {
		for _, fn := range f.functions {
			fn.follows = fn.isLongRunning(u)
			gate := -1
			for _, p := range fn.points {
				if p.marker >= 0 && gate < 0 {
					gate = p.marker
				}
				p.gate = gate
			}
			fn.form, fn.why = fn.chooseForm(o.Form)
			for _, p := range fn.points {
				p.Form, p.Why, p.atTop = fn.form.String(), fn.why, fn.atTop()
			}
			fn.doubles = fn.findDoubles()
			for _, b := range fn.doubles {
				for p := range b.inside {
					p.Form, p.Why = formTwin.String(), "in a loop of which there are two copies: one test in front of it chooses"
				}
			}
		}
	}
}

// A walker walks the files of a unit in source order.
type walker struct {
	u     *Unit
	o     Options
	sizer argumentSizer // nil unless Options.Sizes is set
	errs  Errors
	names map[string]*Point // by name
	tops  map[string]int    // number of declarations so far of "init" and "_", which may be repeated
	vars  *function         // pseudo-function for the initialisers of package variables; numbers their literals

	f       *file
	next    int // index of the first directive not yet consumed
	fn      *function
	skip    int      // > 0 inside a construct with //perf:skip
	chain   []int    // serial numbers of the open timed scopes; a scope's index is its slot
	serial  int      // the last serial number assigned
	scopes  []*Point // by serial number, from 1
	targets []target // enclosing statements that break and continue may leave
	labels  map[string][]int
	gotos   []pendingGoto
	regions []openRegion
	lists   int        // serial number of the last statement list entered
	pending *directive // a mark or skip above a statement, which applies to its function literal
	found   int        // number of function literals found in the statement so far
}

// A target is a statement that break or continue may leave.
type target struct {
	label string
	depth int // number of scopes open around it
	loop  bool
}

type pendingGoto struct {
	label string
	event int
	chain []int
}

type openRegion struct {
	d     *directive
	point *Point
	list  int // serial number of its statement list

	crossed bool // its //perf:end was found inside another region
}

func (w *walker) fail(pos token.Pos, what, remedy string) {
	w.errs = append(w.errs, &Error{w.f.position(pos), what, remedy})
}

// fileDecls walks the declarations of one file.
func (w *walker) fileDecls(f *file) {
	w.f, w.next, w.skip = f, 0, 0
	if w.u.numbered {
		w.tops["init"], w.tops["_"], w.vars.number["func"] = f.before.inits, f.before.blanks, f.before.literals
	}
	if f.left {
		w.skip++
	}
	for _, d := range w.before(f.ast.Package) {
		if d.verb == "skip" {
			w.skip++
		} else {
			w.stray(d, "above the package clause only //perf:skip has a meaning")
		}
	}
	for _, decl := range f.ast.Decls {
		d := w.attached(decl.Pos(), "")
		w.withDirective(d, func() { w.decl(decl, d) })
		w.strays(decl.End())
	}
	for _, d := range f.dirs[w.next:] {
		w.stray(d, "")
	}
	w.next = len(f.dirs)
	if w.o.Cover {
		w.coverFile(f)
	}
}

// withDirective calls walk, skipping points if d is //perf:skip.
func (w *walker) withDirective(d *directive, walk func()) {
	if d != nil && d.verb == "skip" {
		w.skip++
		defer func() { w.skip-- }()
	}
	walk()
}

func (w *walker) decl(decl ast.Decl, d *directive) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Body == nil {
			if d != nil && d.verb == "mark" {
				w.fail(d.pos, "a function without a body cannot be marked", "mark its callers, or take the directive away")
			}
			return
		}
		w.declared(decl, d)
	case *ast.GenDecl:
		w.fn = w.vars
		w.pending, w.found = d, 0
		w.literals(decl)
		w.settle(d, decl.Tok.String()+" declaration")
		w.fn = nil
	}
}

// declared walks a declared function.
func (w *walker) declared(decl *ast.FuncDecl, d *directive) {
	fn := newFunction(w.f, w.u.Path, decl)
	if decl.Recv == nil && (fn.top == "init" || fn.top == "_") {
		w.tops[fn.top]++
		if n := w.tops[fn.top]; n > 1 {
			fn.top += "#" + strconv.Itoa(n)
		} else if fn.top == "init" {
			fn.number = w.vars.number // literals in init and in initialisers of variables share one numbering
		}
		fn.prefix = w.u.Path + "." + fn.top
	}
	w.body(fn, d)
}

// literals walks the function literals of a node in source order.
func (w *walker) literals(nodes ...ast.Node) {
	for _, n := range nodes {
		if !w.f.mayHoldLiteral(n) {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if !ok {
				return true
			}
			w.literal(lit)
			return false
		})
	}
}

func (w *walker) literal(lit *ast.FuncLit) {
	outer := w.fn
	outer.literals++
	fn := &function{file: w.f, lit: lit, outer: outer, typ: lit.Type, body: lit.Body, top: outer.top, nosplit: outer.nosplit, number: map[string]int{}}
	fn.prefix = outer.prefix + ":func#" + strconv.Itoa(outer.next("func"))
	pending, above := w.pending, w.above(lit.Pos())
	d := pending
	if d == nil {
		d = above
	} else if above != nil {
		w.fail(above.pos, "two directives on one thing", "leave one of //perf:"+d.verb+" and //perf:"+above.verb)
	}
	w.found++
	w.pending = nil
	found := w.found

	// A literal is a function of its own: its statements cannot leave a scope of
	// the enclosing function.
	save := *w
	w.chain, w.targets, w.labels, w.gotos, w.regions = nil, nil, nil, nil, nil
	w.withDirective(above, func() { w.body(fn, d) })
	save.errs, save.next, save.serial, save.lists, save.scopes = w.errs, w.next, w.serial, w.lists, w.scopes
	*w = save
	w.fn, w.pending, w.found = outer, pending, found
	if found > 1 {
		w.pending = nil
	}
}

// above returns the mark or skip on the line above a function literal that does not begin its
// statement, or nil. Other directives before the literal are errors.
func (w *walker) above(at token.Pos) (d *directive) {
	list := w.before(at)
	if n := len(list); n > 0 {
		last := list[n-1]
		if (last.verb == "mark" || last.verb == "skip") && w.f.position(last.pos).Line+1 == w.f.position(at).Line {
			list, d = list[:n-1], last
		}
	}
	for _, other := range list {
		w.stray(other, "")
	}
	return d
}

// settle reports as errors a mark or skip above a statement without a function literal, and a
// mark above a statement with several.
func (w *walker) settle(d *directive, what string) {
	w.pending = nil
	switch {
	case d == nil:
	case w.found == 0:
		remedy := "put it above a function, function literal, for, if, switch, select, case or block"
		if d.verb == "mark" {
			remedy += ", or use //perf:begin and //perf:end"
		}
		article := "a "
		if strings.HasPrefix(what, "import") {
			article = "an "
		}
		w.fail(d.pos, "//perf:"+d.verb+" stands on "+article+what, remedy)
	case w.found > 1 && d.verb == "mark":
		w.fail(d.pos, fmt.Sprintf("//perf:%s stands on a statement with %d function literals", d.verb, w.found), "give the one that is meant a statement of its own")
	}
}

// body walks the body of a function.
func (w *walker) body(fn *function, d *directive) {
	w.fn = fn
	w.f.functions = append(w.f.functions, fn)
	w.labels = nil
	w.chain = w.chain[:0]
	header := "func " + w.f.normal(fn.typ.Params.Pos(), fn.body.Lbrace)
	fn.short = shortNodes(fn.body, w.o.Min)
	fn.point = w.point(KindFunc, fn.pos(), "", header, fn.body.Lbrace, fn.body.Rbrace, d)
	if p := fn.point; w.sizer != nil && p != nil && p.SizeExpr == "" && !p.Count {
		p.SizeExpr = w.sizer.size(fn)
	}
	if p := fn.point; p != nil && !p.Count {
		w.open(p)
	}
	w.strays(fn.body.Lbrace)
	w.list(fn.body.List, fn.body.Lbrace+1, fn.body.Rbrace)
	fn.reachesEnd = !flow.Ends(fn.body.List)
	for _, g := range w.gotos {
		common := 0
		for to := w.labels[g.label]; common < len(to) && common < len(g.chain) && to[common] == g.chain[common]; {
			common++
		}
		fn.events[g.event].slot = common
		fn.events[g.event].n = len(g.chain) - common
		fn.events[g.event].ends = w.pointsOf(g.chain[common:])
	}
	w.gotos = nil
	w.chain = w.chain[:0]
	w.fn = nil
	fn.inline = w.u.inline
}

// open pushes a timed scope and returns its slot.
func (w *walker) open(p *Point) int {
	w.serial++
	w.scopes = append(w.scopes, p)
	w.chain = append(w.chain, w.serial)
	w.fn.slots = max(w.fn.slots, len(w.chain))
	p.slot = len(w.chain) - 1
	return p.slot
}

// opened returns the points of the open scopes, from the given slot on.
func (w *walker) opened(slot int) []*Point { return w.pointsOf(w.chain[slot:]) }

func (w *walker) pointsOf(serials []int) (list []*Point) {
	for _, serial := range serials {
		list = append(list, w.scopes[serial-1])
	}
	return list
}

// point makes the point of a construct, or returns nil if it gets none. part is the last part of
// its name, "" for a function.
func (w *walker) point(kind string, pos token.Pos, part, header string, from, to token.Pos, d *directive) *Point {
	mark := d != nil && d.verb == "mark"
	all := w.o.All && w.skip == 0 && (!w.f.test || w.o.Tests)
	explicit := mark || kind == KindRegion || kind == KindPoint
	if !explicit && (!all || kind == KindBlock) {
		return nil
	}
	p := &Point{Pos: w.f.position(pos), Explicit: explicit, f: w.f, from: from, marker: -1, counter: -1}
	p.Package, p.Func, p.Kind, p.Header = w.u.Path, w.fn.top, kind, header
	p.File = w.f.Name
	p.Name = w.fn.prefix
	if part != "" {
		p.Name += ":" + part
	}
	if d != nil && (mark || kind == KindRegion || kind == KindPoint) {
		p.Count, p.Long, p.Sample, p.Group, p.SizeExpr, p.Given = d.count, d.long, d.sample, d.group, d.size, d.name
		if d.long && kind != KindFunc && kind != KindLoop {
			w.fail(d.pos, "long says that a function or loop may go on for long, and this is a "+kind, "leave out long")
		}
		p.Label = d.label
		p.sizePos, p.labelAt = d.sizePos, d.labelPos
		if d.name != "" {
			p.Name = w.given(p.Name, part, d.name)
		}
	}
	if w.fn.nosplit && !p.Count {
		if mark {
			w.fail(d.pos, "there is no room for timing in a //go:nosplit function", "add the key count")
		}
		p.Count = true
	}
	if !explicit && w.o.Keep != nil && !w.o.Keep(p) {
		return nil
	}
	if w.o.Adjust != nil {
		w.o.Adjust(p)
	}
	if from.IsValid() {
		p.Body = w.f.body(from, to)
		p.lines = p.linesOf(from, to)
	}
	if old := w.names[p.Name]; old != nil {
		switch {
		case w.f != old.f && w.f.conditional() && old.f.conditional(): // at most one of the files is compiled
		case p.Given != "":
			w.fail(d.pos, "the name "+strconv.Quote(p.Name)+" is given twice, first at "+old.Pos.String(), "choose another name")
		case old.Given != "":
			w.errs = append(w.errs, &Error{old.Pos, "the name " + strconv.Quote(p.Name) + " is given to this, and what is at " + p.Pos.String() + " has it", "choose another name"})
		}
	}
	w.names[p.Name] = p
	w.u.Points = append(w.u.Points, p)
	if p.Left = w.left(p); p.Left != "" {
		return nil
	}
	w.fn.points = append(w.fn.points, p)
	return p
}

// given returns name with its last part, up to any ".", replaced by word:
// "p.f:if#1.then" with word "big" becomes "p.f:big.then".
func (w *walker) given(name, part, word string) string {
	if part == "" && w.fn.lit == nil {
		return w.u.Path + "." + word
	}
	name = name[:strings.LastIndexByte(name, ':')+1] + word
	if i := strings.LastIndexByte(part, '.'); i >= 0 {
		return name + part[i:]
	}
	return name
}
