package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// A function is a declared function or a function literal.
type function struct {
	file   *file
	decl   *ast.FuncDecl // or nil
	lit    *ast.FuncLit  // or nil
	typ    *ast.FuncType
	body   *ast.BlockStmt
	top    string // name of the enclosing top-level function, as in the registry
	prefix string // full name, with which the names of its loops, branches and literals begin
	number map[string]int
	point  *Point // its own point, or nil
	points []*Point
	events []event
	slots  int // maximum number of scopes open at once, its own included

	// Properties that decide about the form.
	nosplit        bool
	noinline       bool                     // it has //go:noinline
	inline         bool                     // markers in it cost the inliner nothing; see FreePrefix
	nodes          int                      // lower bound of the cost to the inliner; see inliner
	likely         int                      // the same with half a call for each call that may not be inlined
	recursive      bool                     // it may call itself
	intoItself     bool                     // it may call itself, and be inlined into itself
	outer          *function                // around a literal
	callableParams map[string]bool          // parameters that may be functions or interfaces
	appends        map[string]*ast.CallExpr // see stackAppends
	returnsFunc    bool                     // it has one result, a function
	quick          bool                     // it returns before a clock can be read twice; see inliner
	form           form
	why            string // why that form was chosen
	explicit       bool   // its scopes end before each return, not in a deferred call
	follows        bool   // scopes in its loops follow markers that are turned on or off while it runs
	copied         bool   // formGuarded: the guarded body is a copy, as in a twin
	doubles        []*double
	noTestBefore   bool   // its own marker is a call, and no test may precede the body; see sharesHeap
	blocks         bool   // its basic blocks are counted
	tallyIndex     int    // its index among the functions whose blocks are counted; see numberTallies
	counted        string // why it is count-only, if no directive asks for that; else ""
	literals       int
	types          bool // it declares types
	labels         []*ast.LabeledStmt
	jumps          []*ast.BranchStmt // jumps to a label
	returns        []returnSite
	reachesEnd     bool // control may reach the end of the body
	defers         int
	loops          int
	short          int // number of its nodes if they are too few for markers, else 0; see shortNodes
}

// An event is a piece of code that a writer plants at one position. Events at the same position are
// planted in the order of function.events.
type event struct {
	op    Op
	at    int      // byte offset of the token before which Overlay plants it
	after int      // for a directive's event, the end of the directive; at, for the start of a list; else 0
	slot  int      // OpEnter: slot of the scope; OpExit: lowest slot closed
	ends  []*Point // OpExit: points of the scopes that end, in the order in which they were opened
	n     int      // OpExit: number of slots closed; if 0, nothing is planted
	point *Point   // OpEnter, OpCount, OpPoint
	first bool     // opCover, opWrap: one of the blocks that a function may count first
	block int      // opCover: index into Unit.blocks
	tail  bool     // at the end of a list: a semicolon may be needed before it
}

// An Op is what an event does.
type Op uint8

// The operations of events. Plans have the exported ones.
const (
	OpEnter  Op = iota // opens a scope
	OpExit             // closes scopes
	OpCount            // counts one execution of a count-only point
	OpPoint            // records one execution of a point without duration
	OpPause            // pauses collection
	OpResume           // resumes it
	opCover            // counts a basic block
	opWrap             // is opCover, and opens the implicit block of an else-if
	opUnwrap           // closes it
)

// newFunction returns the function of a declaration.
func newFunction(f *file, path string, d *ast.FuncDecl) *function {
	fn := &function{file: f, decl: d, typ: d.Type, body: d.Body, top: declName(d), number: map[string]int{}}
	fn.prefix = path + "." + fn.top
	for _, word := range f.pragmas(d) {
		switch word {
		case "//go:nosplit", "//go:cgo_unsafe_args", "//go:systemstack", "//go:nowritebarrierrec", "//go:nowritebarrier":
			fn.nosplit = true
		case "//go:noinline":
			fn.noinline = true
		}
	}
	return fn
}

// pragmas returns the //go: directives that the compiler applies to a function, up to their first
// space: all between the previous declaration and the function, even with a blank line in between
// (fileOrNil in cmd/compile/internal/syntax/parser.go, pragma in
// cmd/compile/internal/noder/noder.go).
func (f *file) pragmas(d *ast.FuncDecl) (words []string) {
	from := f.ast.Name.End()
	if i := sort.Search(len(f.ast.Decls), func(i int) bool { return f.ast.Decls[i].Pos() >= d.Pos() }); i > 0 {
		from = f.ast.Decls[i-1].End()
	}
	groups := f.ast.Comments
	for _, g := range groups[sort.Search(len(groups), func(i int) bool { return groups[i].End() > from }):] {
		for _, c := range g.List {
			if c.Pos() >= d.Type.Func {
				return words
			}
			if c.Pos() >= from && strings.HasPrefix(c.Text, "//go:") {
				word, _, _ := strings.Cut(strings.TrimSuffix(c.Text, "\r"), " ")
				words = append(words, word)
			}
		}
	}
	return words
}

// declName returns the name of a declared function as in DESIGN §4: Func, T.Method or (*T).Method,
// without type parameters.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := ast.Unparen(d.Recv.List[0].Type)
	base := cmp.Or(baseType(t), "?")
	if _, star := t.(*ast.StarExpr); star {
		base = "(*" + base + ")"
	}
	return base + "." + d.Name.Name
}

// next returns the next number of a construct in the function: for#1, for#2, ….
func (fn *function) next(word string) int {
	fn.number[word]++
	return fn.number[word]
}

// pos returns the reported position of the function's marker.
func (fn *function) pos() token.Pos {
	if fn.decl != nil {
		return fn.decl.Type.Func
	}
	return fn.lit.Type.Func
}

// timed reports whether the function has timed scopes or points.
func (fn *function) timed() bool {
	for _, e := range fn.events {
		if e.op == OpEnter || e.op == OpPoint {
			return true
		}
	}
	return fn.point != nil && !fn.point.Count
}

// results reports whether the function has results.
func (fn *function) results() bool {
	return fn.typ.Results != nil && len(fn.typ.Results.List) > 0
}

// sortEvents sorts the events by position. At equal positions opUnwrap comes first.
func (fn *function) sortEvents() {
	sort.SliceStable(fn.events, func(i, j int) bool {
		a, b := fn.events[i], fn.events[j]
		if a.at != b.at {
			return a.at < b.at
		}
		return a.op == opUnwrap && b.op != opUnwrap
	})
}
