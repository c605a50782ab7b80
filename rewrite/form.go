package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
)

// A form is the way in which a function is planted in an overlay build.
//
//	formCount    the body with counters; nothing is timed, the function may still be inlined
//	formOpen     one body that may still be inlined; each scope tests its marker when it
//	             opens, and again before each exit
//	formTwin     if gate { marked copy of the body; return }; the original body
//	formGuarded  one body; each scope tests a local variable when it opens and closes, or,
//	             in a long-running function (stays.go), its marker; the function's own
//	             scope is always opened and closed once, by the test at its start
//
// A function that the compiler inlines stays inlinable, so that frames,
// allocations and speed of the program do not change. Its scopes are not ended by
// a deferred call. After a panic or runtime.Goexit they end when the panic is
// recovered; see perf.Open.
//
// A twin costs one test while its markers are off, and both bodies share the
// function's frame, so that runtime.Caller, recover and t.Helper see no
// difference. A function is guarded instead where a second copy of the body would
// be visible or would not compile: it would renumber function literals in stack
// traces, declare a second local type, shadow a parameter that := assigns at the
// top of the body, keep a slice from growing on the stack (see growing), or defer
// calls twice.
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

func (f form) String() string {
	return formNames[f]
}

const (
	// maxTwin is the maximum size of a copied body, in bytes. Both bodies with their markers must
	// also stay below gc.BigNodes.
	maxTwin = 6000

	// maxReturns is the maximum number of returns of a twin with a deferred call: the bodies have
	// up to twice as many, and above gc.OpenDefers the defer is not open-coded.
	maxReturns = gc.OpenDefers / 2

	literalCost = 15

	// rangeFuncCost is the inliner's cost of a range-over-func loop without its body: a literal, a
	// call, and the test of the loop's state.
	rangeFuncCost = 50

	// receivedCost is the cost of a variable that a select clause declares, beyond its nodes: the
	// compiler first receives into a temporary.
	receivedCost = 4

	// openBudget is the cost up to which a function counts as inlinable. It is above the compiler's
	// budget since the syntax tree has some nodes that the compiler's does not, and a function that
	// is not inlined loses little in formOpen.
	openBudget = gc.InlineBudget + gc.InlineBudget/8

	// countCost is the inliner's cost of one counter: the nodes of perf.Count and its argument.
	countCost = 16
)

// chooseForm returns the form of the function, and the reason. forced is the form to use if
// the function can have it, "" for none.
func (fn *function) chooseForm(forced string) (form, string) {
	f, why := fn.preferred(forced)
	if forced == "" {
		return fn.shortest(f, why)
	}
	return f, why
}

// preferred is chooseForm without regard to the compiler's limit gc.BigNodes; see shortest.
func (fn *function) preferred(forced string) (form, string) {
	switch {
	case len(fn.events) == 0 && fn.point == nil:
		return formNone, ""
	case fn.counted != "":
		fn.called = fn.together()
		return formCount, fn.counted
	case !fn.timed() && fn.nosplit:
		return formCount, "a //go:nosplit function has no stack to spare"
	case !fn.timed():
		fn.called = fn.together()
		return formCount, "nothing in it is timed"
	}
	opens, whyNotOpen := fn.opens(nil)
	fn.explicit = opens && fn.defers == 0 && fn.file.explicit
	open := fn.explicit && !fn.recursive
	if fn.follows && fn.explicit && fn.likely > mostCost {
		open = true // too expensive to inline, even into itself, unless PGO finds it hot
	} else if fn.recursive {
		whyNotOpen = "it calls itself, and inlined into itself it would not be known how deep"
	}
	twin, whyNotTwin := fn.copies()
	together := fn.explicit && fn.together() // with deferred calls, each call already separates the variables
	switch {
	case forced == "open" && open, forced == "twin" && twin, forced == "guarded":
		for f, name := range formNames {
			if name == forced {
				fn.follows = false
				fn.called = together && (forced == "open" || forced == "guarded")
				return form(f), "-form asks for it"
			}
		}
	}
	if fn.called = together; together {
		f := formGuarded
		if open {
			f = formOpen
		}
		return f, "a test at the top might part variables that are allocated together"
	}
	if fn.follows {
		const why = "it may go on for as long as the program: each scope in it tests whether it is on"
		if open {
			return formOpen, why
		}
		if fn.follows, _ = fn.opens(fn.point); fn.follows && !fn.explicit {
			return formGuarded, why
		}
	}
	small := fn.small()
	switch {
	case small && open:
		return formOpen, "the compiler may inline it"
	case twin:
		why := "one test at the top chooses between two bodies"
		if small {
			why += "; " + whyNotOpen
		}
		return formTwin, why
	}
	if !fn.explicit && fn.file.explicit && fn.shares() {
		if fn.follows, _ = fn.opens(fn.point); fn.follows {
			return formGuarded, whyNotTwin + "; scopes in a loop over a function would be variables that it shares"
		}
	}
	return formGuarded, whyNotTwin
}

// atTop reports whether the function tests once, at its start, whether its scopes are recorded.
func (fn *function) atTop() bool {
	switch fn.form {
	case formTwin:
		return true
	case formGuarded:
		return fn.explicit || !fn.follows
	}
	return false
}

// lengthens reports whether a call of the function may take long and markers may make it much
// longer: it has a marked loop, and a loop that calls something.
func (fn *function) lengthens() bool {
	loops := false
	for _, p := range fn.points {
		loops = loops || p.Kind == KindLoop
	}
	if !loops {
		return false
	}
	calls := false
	inLoop := func(body *ast.BlockStmt) {
		ast.Inspect(body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				name, ok := ast.Unparen(call.Fun).(*ast.Ident)
				calls = calls || !ok || !builtins[name.Name] && !scalarNames[name.Name]
			}
			return !calls
		})
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			inLoop(n.Body)
		case *ast.RangeStmt:
			inLoop(n.Body)
		}
		return !calls
	})
	return calls
}

// small reports whether the function must stay inlinable if the compiler inlines it. That excludes
// a function with a loop, where a test in each iteration costs more than the call that inlining
// saves, unless the function allocates when it is not inlined. Likewise a function that calls a
// parameter is small up to mostCost, far above the budget: not inlined, it makes its caller
// allocate. For literals see keeps.
func (fn *function) small() bool {
	return fn.inline && (fn.cost <= openBudget && (fn.loops == 0 || fn.allocates()) || fn.cost <= mostCost && fn.dynamic() || fn.keeps())
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
	case fn.size > maxTwin || fn.size > 2*maxTwin/5 && 2*nodes(fn.body)+markNodes*len(fn.events) > gc.BigNodes:
		return false, "a copy of so long a body would keep the compiler from inlining into it"
	case fn.defers > 0:
		return false, "a copy would defer its calls again, and a frame for both is large"
	case len(fn.ways) > maxReturns && !fn.explicit:
		return false, "with so many returns a defer would cost the unmarked body too"
	case fn.redeclares():
		return false, "a copy would shadow a parameter that := assigns"
	}
	if name := fn.stackAppendTo(fn.parameters()); name != "" {
		return false, "a copy would keep " + name + " from growing on the stack"
	}
	return true, ""
}

// redeclares reports whether := at the top level of the body assigns to a parameter. In the nested
// block of a twin it would declare a new variable:
//
//	func f() (err error) { n, err := g(); …; return }                 // sets the result
//	func f() (err error) { if gate { n, err := g(); …; return } … }   // does not compile: err is shadowed
func (fn *function) redeclares() bool {
	names := fn.parameters()
	if len(names) == 0 {
		return false
	}
	for _, s := range fn.body.List {
		for {
			l, ok := s.(*ast.LabeledStmt)
			if !ok {
				break
			}
			s = l.Stmt
		}
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, x := range a.Lhs {
				if name, ok := x.(*ast.Ident); ok && names[name.Name] {
					return true
				}
			}
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
	cost := fn.cost
	if !fn.inline { // each counter adds to the cost
		cost = fn.likely + len(fn.points)*countCost - gc.InlineBudget/4
	}
	switch {
	case fn.literals > 0 || fn.loops > 0 || cost > openBudget || !fn.inline && cost > gc.InlineBudget:
		return
	case fn.quick:
		fn.counted = "the compiler inlines it, and it is done before a clock is read; //perf:mark times it"
	case !fn.inline && fn.allocates() && fn.makesItself():
		fn.counted = "the compiler inlines it, and not inlined it might allocate more; //perf:mark times it"
	default:
		return
	}
	for _, p := range fn.points {
		p.Count = true
	}
	for i := range fn.events {
		switch e := &fn.events[i]; e.op {
		case opEnter:
			e.op = opCount
		case opExit:
			e.n = 0
		}
	}
	fn.slots = 0
}

// dynamic reports whether the function calls a parameter, or ranges over one that is a function:
// where fn is inlined, the compiler may inline that function too.
func (fn *function) dynamic() bool {
	if len(fn.given) == 0 {
		return false
	}
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name, ok := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || ok && fn.given[name.Name]
		case *ast.RangeStmt:
			found = found || fn.rangesGiven(n)
		}
		return !found
	})
	return found
}

// rangesGiven reports whether a loop ranges over a parameter that is a function, so that the loop
// body becomes a function literal. (fn.given has interfaces as well, but no loop ranges over one.)
func (fn *function) rangesGiven(s *ast.RangeStmt) bool {
	name, ok := ast.Unparen(s.X).(*ast.Ident)
	return ok && fn.given[name.Name]
}

func scalar(t ast.Expr) bool {
	name, ok := t.(*ast.Ident)
	return ok && scalarNames[name.Name]
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
