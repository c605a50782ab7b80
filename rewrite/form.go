package rewrite

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/markgen/markgen/rewrite/gc"
)

// A form is the way in which a function is planted in an overlay build:
//
//	formCount    the body with counters; nothing is timed, the function may still be inlined
//	formOpen     one body; each scope tests its marker when it opens and when it ends
//	formTwin     if gate { marked copy of the body; return }; the original body
//	formGuarded  one body; its scopes test a local variable, and a deferred call ends those
//	             that are open
//
// The rule. A function has two bodies unless
//
//   - it is small enough to be inlined, does not call itself, and has no loop or may allocate: then
//     it is open;
//   - it may run as long as the program (see longrunning.go): open, so that scopes follow changes;
//   - a second body or a test at the top could be observed: then it is open, too. A copy would
//     renumber function literals, declare types twice, shadow a parameter that := assigns, keep a
//     slice from starting on the stack (see stackslice.go), or be too long; a test might part
//     variables that share a heap allocation (see heapshare.go);
//   - its scopes cannot end before each return, since it defers calls, a size belongs to a scope,
//     or goroutines cannot be identified, or since it may be inlined into itself and has no second
//     body: then it is guarded. The guarded body, too, may be a copy (see function.copied).
//
// A function that the compiler inlines stays inlinable, so that frames, allocations and speed of
// the program do not change. Both bodies of a twin share the function's frame, so that
// runtime.Caller, recover and t.Helper see no difference. After a panic or runtime.Goexit scopes
// that no deferred call ends do so when the panic is recovered; see perf.Open.
type form uint8

const (
	formNone form = iota
	formCount
	formOpen
	formTwin
	formGuarded
)

var formNames = [...]string{"none", "count", "open", "twin", "guarded"}

// Forms lists the forms that Options.Form can force.
var Forms = formNames[formOpen:]

func (f form) String() string { return formNames[f] }

const (
	// pointNodes is the number of nodes that a marker adds to a function: 25 to 28 in a message broker.
	pointNodes = 27

	// countCost is the inliner's cost of one counter: the nodes of perf.Count and its argument.
	countCost = 16
)

// chooseForm returns the form of the function, and the reason. forced is the form to use if
// the function can have it, "" for none. It sets explicit, follows and noTestBefore.
func (fn *function) chooseForm(forced string) (form, string) {
	switch {
	case len(fn.events) == 0 && fn.point == nil:
		return formNone, ""
	case fn.counted != "":
		fn.noTestBefore = fn.sharesHeap()
		return formCount, fn.counted
	case !fn.timed() && fn.nosplit:
		return formCount, "a //go:nosplit function has no stack to spare"
	case !fn.timed():
		fn.noTestBefore = fn.sharesHeap()
		return formCount, "nothing in it is timed"
	}
	const whyLong = "it may go on for as long as the program: each scope in it tests whether it is on"
	ends, why := fn.endsExplicitly()
	if fn.explicit = ends; !ends {
		if fn.follows {
			why = whyLong
		}
		// Scopes in it can end explicitly where only its own cannot.
		inner, _ := fn.opens(fn.point)
		fn.follows = inner && fn.file.explicit && (fn.follows || fn.inFuncLoop())
		if copies, _ := fn.copies(); copies && !fn.follows && (fn.openCoded(2) || !fn.openCoded(1)) {
			fn.copied, why = true, why+"; it has a second body"
		}
		return formGuarded, why
	}
	twin, whyNotTwin := fn.copies()
	if fn.intoItself { // End could not tell which scope of the frame it ends
		if forced == formGuarded.String() || !twin {
			fn.explicit = false
			return formGuarded, "it may be inlined into itself; " + whyNotTwin
		}
		return formTwin, "it may be inlined into itself, which two bodies prevent"
	}
	switch {
	case forced == formTwin.String() && twin:
		return formTwin, "-form asks for it"
	case forced == formOpen.String():
		return formOpen, "-form asks for it"
	case forced == formGuarded.String():
		fn.explicit = false
		return formGuarded, "-form asks for it"
	case fn.sharesHeap():
		fn.noTestBefore = true
		return formOpen, "a test at the top might part variables that are allocated together"
	case fn.follows:
		return formOpen, whyLong
	case fn.small():
		return formOpen, "the compiler may inline it"
	case twin:
		return formTwin, "one test at the top chooses between two bodies"
	}
	return formOpen, whyNotTwin
}

// endsExplicitly reports whether each scope of the function can end before each return, and if not,
// why.
func (fn *function) endsExplicitly() (bool, string) {
	switch ends, why := fn.opens(nil); {
	case !fn.file.explicit:
		return false, "without a way to identify goroutines, scopes are variables"
	case fn.defers > 0:
		return false, "its scopes end after the calls that it defers"
	default:
		return ends, why
	}
}

// openCoded reports whether cmd/compile inlines the deferred calls of so many bodies, and perf.Close, at returns.
func (fn *function) openCoded(bodies int) bool {
	defers, returns := bodies*fn.defers+1, bodies*len(fn.returns)
	if bodies > 1 && !fn.results() {
		returns++ // between the bodies
	}
	return defers <= 8 && defers*returns <= 15 // walkStmt, buildssa
}

// atTop reports whether the function tests once, at its start, whether its scopes are recorded.
func (fn *function) atTop() bool { return fn.form == formTwin || fn.form == formGuarded && !fn.follows }

// lengthens reports whether a call of the function may take long and markers may make it much
// longer: it has a marked loop, and a loop that calls something.
func (fn *function) lengthens() bool {
	return slices.ContainsFunc(fn.points, func(p *Point) bool { return p.Kind == KindLoop }) && fn.contains(func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			calls, _ := fn.meets(n)
			return calls
		}
		return false
	})
}

// copies reports whether the body can be duplicated, and if not, why.
func (fn *function) copies() (bool, string) {
	switch {
	case fn.literals > 0:
		return false, "a copy would renumber its function literals"
	case fn.types:
		return false, "a copy would declare its types twice"
	case fn.file.cgo:
		return false, "the cgo tool rewrites the file again"
	case fn.file.lineDirs:
		return false, "the file has //line directives"
	case !fn.roomFor(fn.body):
		return false, "a copy of so long a body would keep the compiler from inlining into it"
	case fn.redeclares():
		return false, "a copy would shadow a parameter that := assigns"
	}
	if name := fn.stackAppendTo(fn.parameters()); name != "" {
		return false, "a copy would keep " + name + " from growing on the stack"
	}
	return true, ""
}

// roomFor reports whether the compiler inlines as much into the function with copies of these statements.
// It inlines little into big functions, so the function with its markers must not be big with the copies,
// or be big without them. The compiler's number of nodes differs from ours by up to a tenth.
func (fn *function) roomFor(copied ...ast.Stmt) bool {
	n, bytes := pointNodes*len(fn.points), int(fn.body.Rbrace-fn.body.Lbrace)
	if n+2*bytes < gc.BigFunction*9/10 { // a node takes at least a byte
		return true
	}
	n += nodes(fn.body)
	all := n
	for _, s := range copied {
		all += nodes(s)
	}
	return all < gc.BigFunction*9/10 || n > gc.BigFunction*11/10
}

// redeclares reports whether := at the top level of the body assigns to a parameter. In the nested
// block of a twin it would declare a new variable:
//
//	func f() (err error) { n, err := g(); …; return }                 // sets the result
//	func f() (err error) { if gate { n, err := g(); …; return } … }   // does not compile: err is shadowed
func (fn *function) redeclares() bool {
	names := fn.parameters()
	parameter := func(x ast.Expr) bool { name, ok := x.(*ast.Ident); return ok && names[name.Name] }
	for _, s := range fn.body.List {
		for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
			s = l.Stmt
		}
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && slices.ContainsFunc(a.Lhs, parameter) {
			return true
		}
	}
	return false
}

// onlyCount makes the points of a function count-only if the compiler inlines the function and a
// timer would keep it from doing so:
//
//   - A function without loops that calls nothing, or only such functions, returns before a clock
//     can be read twice; a timer would measure itself.
//   - A function whose inlining keeps its results off the heap allocates more when it is not
//     inlined, which testing.AllocsPerRun shows.
//
// Functions with a point from a directive are not changed.
func (fn *function) onlyCount() {
	if len(fn.points) == 0 || fn.nosplit {
		return
	}
	for _, p := range fn.points {
		if p.Explicit {
			return
		}
	}
	cost := fn.nodes
	if !fn.inline { // each counter adds to the cost
		cost = fn.likely + len(fn.points)*countCost - gc.InlineBudget/4
	}
	switch {
	case fn.literals > 0 || fn.loops > 0 || cost > fn.inlineBudget() || !fn.inline && cost > gc.InlineBudget:
		return
	case fn.quick:
		fn.counted = "the compiler inlines it, and it is done before a clock is read; //perf:mark times it"
	case !fn.inline && fn.mayAllocate() && fn.makes():
		fn.counted = "the compiler inlines it, and not inlined it might allocate more; //perf:mark times it"
	default:
		return
	}
	for _, p := range fn.points {
		p.Count = true
	}
	for i := range fn.events {
		switch e := &fn.events[i]; e.op {
		case OpEnter:
			e.op = OpCount
		case OpExit:
			e.n = 0
		}
	}
	fn.slots = 0
}

var scalarNames = set("bool", "byte", "rune", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
	"uint32", "uint64", "uintptr", "float32", "float64", "complex64", "complex128")

var builtins = set("append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min",
	"new", "panic", "print", "println", "real")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
