package rewrite

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// function is one function body: that of a declaration or of a literal.
type function struct {
	file   *file
	decl   *ast.FuncDecl // or nil
	lit    *ast.FuncLit  // or nil
	typ    *ast.FuncType
	body   *ast.BlockStmt
	top    string // enclosing top-level function, as the registry has it
	prefix string // full name, the start of the names inside
	number map[string]int
	point  *Point // its own point, or nil
	points []*Point
	events []event
	slots  int // how many scopes are open at once at most, its own included

	// What decides about the form.
	nosplit  bool
	noinline bool      // the compiler is told not to
	inline   bool      // markers in it cost the inliner nothing
	cost     int       // what the inliner would charge for it, about
	vars     variables // nil: not known yet
	grown    struct {
		known  bool
		slices []*growing
	}
	recursive bool            // may call itself, so that the compiler may inline it into itself
	given     map[string]bool // parameters that are functions or, as far as syntax shows, interfaces
	returned  string          // the type of its one result, as the source has it, if that is a function
	outer     *function       // the one around a literal of a declared function
	calls     int             // of a literal, as far as the compiler knows which are; see findLiterals
	passed    bool            // a literal that is given to a call
	quick     bool            // done before a clock is read twice; see inliner
	estimated *inliner        // by which; nil: not yet
	form      form
	why       string // that form
	explicit  bool   // the scopes of a twin end on every way out, not in a deferred call
	follows   bool   // scopes in its loops follow what is turned on and off while it runs; see stays.go
	doubles   []*double
	called    bool   // its own marker is passed in a call, and nothing is tested before the body; see together
	terse     bool   // what is planted has as few nodes as can be; see nodes.go
	untallied bool   // demoted markers are counted in calls, as the code would have too many nodes else
	blocks    bool   // basic blocks are counted in it
	last      int    // its number among those that count by goroutine; see findLasts
	counted   string // why it is only counted, though no directive asks for that; else ""
	literals  int
	types     bool // declares types of its own
	labels    []*ast.LabeledStmt
	jumps     []*ast.BranchStmt // with a label
	ways      []way
	falls     bool // control may reach the end of the body
	defers    int
	loops     int
	size      int // bytes of the body
}

// An event is one thing that a writer plants at one place. Events of a
// function come in the order in which they are to stand where they share a
// place.
type event struct {
	op    op
	at    int      // byte offset: in front of the token that starts there
	stmt  int      // byte offset: whole lines go behind the line of what ends there; 0: in front of the line of at
	inset string   // indentation of whole lines behind stmt
	slot  int      // opEnter: the scope's; opExit: the first of those closed
	ends  []*Point // opExit: of the scopes that end, the first opened first
	n     int      // opExit: how many slots are closed; 0: none, the event is void
	point *Point   // opEnter, opCount, opPoint
	first bool     // opCover, opWrap: of the blocks that a function counts first
	block int      // opCover: index into Unit.blocks
	tail  bool     // at the end of a list: what stands in front of it may need a semicolon
}

type op uint8

const (
	opEnter op = iota
	opExit
	opCount // one passage of a point that is only counted
	opPoint // one passage of a point without duration
	opPause
	opResume
	opCover
	opWrap   // opCover that opens the hidden block of an else-if
	opUnwrap // closes it
)

// newFunction describes a declared function.
func newFunction(f *file, path string, d *ast.FuncDecl) *function {
	fn := &function{file: f, decl: d, typ: d.Type, body: d.Body, top: declName(d), number: map[string]int{}}
	fn.prefix = path + "." + fn.top
	fn.size = int(d.Body.Rbrace - d.Body.Lbrace)
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

// pragmas are the directives that the compiler takes for those of a function: all between the declaration before and the
// function, whether a blank line parts them from it or not, up to the first space (fileOrNil in
// cmd/compile/internal/syntax/parser.go and pragma in cmd/compile/internal/noder/noder.go).
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

// declName is the name of a declared function as in DESIGN §4: Func, T.Method
// or (*T).Method, without type parameters.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := ast.Unparen(d.Recv.List[0].Type), false
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, star = ast.Unparen(x.X), true
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")." + d.Name.Name
			}
			return x.Name + "." + d.Name.Name
		}
		return "?." + d.Name.Name
	}
}

// next counts the constructs of a function by their word: for#1, for#2, ….
func (fn *function) next(word string) int {
	fn.number[word]++
	return fn.number[word]
}

// pos is where the function's marker is said to be.
func (fn *function) pos() token.Pos {
	if fn.decl != nil {
		return fn.decl.Type.Func
	}
	return fn.lit.Type.Func
}

// timed says whether the function has scopes or points that are gated.
func (fn *function) timed() bool {
	for _, e := range fn.events {
		if e.op == opEnter || e.op == opPoint {
			return true
		}
	}
	return fn.point != nil && !fn.point.Count
}

// results says whether the function has results.
func (fn *function) results() bool {
	return fn.typ.Results != nil && len(fn.typ.Results.List) > 0
}

// sortEvents puts the events in the order of their places. A hidden block that
// ends where something else happens ends first.
func (fn *function) sortEvents() {
	sort.SliceStable(fn.events, func(i, j int) bool {
		a, b := fn.events[i], fn.events[j]
		if a.at != b.at {
			return a.at < b.at
		}
		return a.op == opUnwrap && b.op != opUnwrap
	})
}
