package rewrite

import (
	"go/ast"
	"go/token"

	"github.com/markgen/markgen/rewrite/gc"
)

// form is how a function is planted in an overlay build.
//
//	formCount    body with counters; nothing is timed, the function may still be inlined
//	formOpen     one body that may still be inlined; scopes end on every way out, each
//	             way in and out is a test
//	formTwin     if gate { marked copy of the body; return }; the body as it was
//	formGuarded  one body; each scope opens and closes behind a test of a local variable,
//	             or, in a function that lasts, behind one of its marker but for the function's own
//
// What the compiler inlines it goes on inlining: then the frames, the
// allocations and the speed of the program are what they were. A scope of such a
// function has no deferred call to end it. If a panic or runtime.Goexit passes, it
// ends when the panic is recovered; see perf.Open.
//
// A twin costs one test while it is off, and its frame is the function's own,
// so that runtime.Caller, recover and t.Helper see what they saw. It cannot be
// had where a second copy of the body would be seen or would not compile:
// function literals would be numbered anew in stack traces, a local type would
// be another type, a parameter that is assigned by := at the top of the body
// would be shadowed, a slice would no longer grow on the stack (growing), and calls
// would be deferred in both. Those functions are guarded.
type form uint8

const (
	formNone form = iota
	formCount
	formOpen
	formTwin
	formGuarded
)

var formNames = [...]string{"none", "count", "open", "twin", "guarded"}

// Forms are the names of the forms that Options.Form can force.
var Forms = formNames[formOpen:]

func (f form) String() string {
	return formNames[f]
}

const (
	// maxTwin is the size of a body in bytes above which no copy is made. Both bodies and their markers are
	// kept below gc.BigNodes.
	maxTwin = 6000

	// maxReturns keeps the marked copy's one defer below gc.OpenDefers.
	maxReturns = gc.OpenDefers / 2

	literalCost = 15

	// rangeFuncCost is what a loop over a function costs whatever its body is: a
	// literal, a call, and the test of its state.
	rangeFuncCost = 50

	// receivedCost is what a variable that a clause of a select declares costs beyond its nodes: the compiler receives into another first.
	receivedCost = 4

	// openBudget is the estimated cost up to which a function may be inlined: more
	// than the budget, since the estimate may be too high. One that is not inlined
	// loses little by being open.
	openBudget = gc.InlineBudget + gc.InlineBudget/8

	// countCost is what the inliner charges for one counter: the nodes of
	// perf.Count and its argument.
	countCost = 16
)

// chooseForm says how the function is planted, and why. forced is the form to be
// taken wherever it can be had, "" for none.
func (fn *function) chooseForm(forced string) (form, string) {
	f, why := fn.preferred(forced)
	if forced == "" {
		return fn.shortest(f, why)
	}
	return f, why
}

// preferred is chooseForm for a function that is not too long.
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
	if fn.follows && fn.explicit && fn.cost > mostCost {
		open = true // it is not inlined, also not into itself, unless a profile calls it hot
	} else if fn.recursive {
		whyNotOpen = "it calls itself, and inlined into itself it would not be known how deep"
	}
	twin, whyNotTwin := fn.copies()
	together := fn.explicit && fn.together() // where calls are deferred, each call parts them
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

// atTop says whether the function chooses where it begins whether scopes in it are recorded, once for all.
func (fn *function) atTop() bool {
	switch fn.form {
	case formTwin:
		return true
	case formGuarded:
		return fn.explicit || !fn.follows
	}
	return false
}

// lengthens says whether a call of the function may take long, and markers make that much longer: a loop of its own that has one
// calls something.
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

// small says whether the function is to be inlined where the compiler does that.
// In a loop a test a passage costs more than a call of what has the loop. It costs little beside a call
// of a function that is given, which allocates if this one is not inlined: then the estimate is to be
// far above the budget before it counts. Nor does it cost much beside what is allocated if a function is not inlined that is in the plain program.
func (fn *function) small() bool {
	return fn.inline && (fn.cost <= openBudget && (fn.loops == 0 || fn.allocates()) || fn.cost <= mostCost && fn.dynamic() || fn.keeps())
}

// copies says whether the body can be there twice, and if not why.
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
	for _, s := range fn.growing() {
		if !s.local { // of those there are two in two bodies
			return false, s.whyOnce()
		}
	}
	return true, ""
}

// redeclares says whether := at the top of the body names a parameter, which
// there means assignment and in a nested block would be a new variable.
func (fn *function) redeclares() bool {
	names := map[string]bool{}
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if name.Name != "_" {
					names[name.Name] = true
				}
			}
		}
	}
	if fn.decl != nil {
		add(fn.decl.Recv)
	}
	add(fn.typ.Params)
	add(fn.typ.Results)
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

// onlyCount makes the points of a function count-only where timing would change
// what is timed: the compiler inlines the function, and a timer would keep it
// from doing so.
//
//   - A function without loops that calls nothing, or only such functions, is done
//     before a clock can be read twice; what a timer would show is the timer.
//   - A function whose inlining keeps what it returns off the heap allocates more
//     when it is not inlined, and testing.AllocsPerRun would tell.
//
// Points that a directive asked for stay as they were asked for.
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
	if !fn.inline { // then each counter costs the inliner something
		cost += len(fn.points)*countCost - gc.InlineBudget/4
	}
	switch {
	case fn.literals > 0 || fn.loops > 0 || cost > openBudget || !fn.inline && cost > gc.InlineBudget:
		return
	case fn.quick:
		fn.counted = "the compiler inlines it, and it is done before a clock is read; //perf:mark times it"
	case !fn.inline && fn.allocates():
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

// dynamic says whether the function calls one that it gets as a parameter, or loops
// over it: where it is inlined, that is inlined too.
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

// rangesGiven says whether a loop goes over a function that fn gets as a parameter,
// so that its body is a function that fn passes on. Over an interface none goes.
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
