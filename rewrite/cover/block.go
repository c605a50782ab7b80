// Package cover finds the basic blocks of a file as `go test -cover` counts them (Blocks), and tells
// which of their counts follow from those of marked functions, loops and branches (Counts).
package cover

import (
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/markgen/markgen/rewrite/gc"
)

// A Block is a basic block as `go test -cover` counts them: the same extent, the same number of
// statements, the same order, so that a profile written from our counters can be compared with one
// of the go command line by line. Blocks of one file never overlap.
//
// A counter statement placed at At (followed by `;`) keeps the file valid Go. It is a plain
// statement, never a declaration, so a goto may jump over it; it never separates a label from the
// for, switch or select it names; and it never follows a fallthrough or a terminating statement at
// the end of a list, because a block with its only place there is Dead.
type Block struct {
	Start, End token.Pos // extent in the source, End is one past the last byte
	// Line and column in the profile. Before Go 1.27 they follow `//line` directives. If two blocks
	// of the file would have the same extent, the end column of the second is increased.
	StartLine, StartCol, EndLine, EndCol int
	File                                 string // base name of the file in the profile, which follows `//line`
	NumStmt                              int    // statements that run when the block is entered, 0 for an empty body

	At token.Pos // where the counter statement goes
	// Close is set for the implicit block around the if of an `else if`. There `{` and the counter
	// go to At and `}` to Close: `else if y {}` becomes `else {counter; if y {}}`.
	Close token.Pos
	// Dead is set if the block has only empty statements that can't be reached, and a counter there
	// would not compile (`fallthrough;;`, or `panic(x);;` at the end of a function with results).
	// It has no counter; its count is 0.
	Dead bool

	Func ast.Node // innermost *ast.FuncDecl or *ast.FuncLit that contains the block

	elseIf *ast.IfStmt // the if in the implicit block of an `else if`
}

// Blocks returns the basic blocks of f in the order in which `go tool cover` of a release numbers
// them. The tree is not changed. src is the text that f was parsed from. Functions without a body,
// functions named _, and empty switch and select statements have none.
func Blocks(fset *token.FileSet, f *ast.File, src []byte, release gc.Release) []Block {
	return BlocksWithout(nil, fset, f, src, release)
}

// BlocksWithout is Blocks for a file in which lines have been inserted, and then blanked in src: no
// block ends because of them. inserted is by line.
func BlocksWithout(inserted map[int]bool, fset *token.FileSet, f *ast.File, src []byte, release gc.Release) []Block {
	w := &walker{source: &source{
		fset:     fset,
		file:     fset.File(f.FileStart),
		src:      src,
		inserted: inserted,
		release:  release,
		seen:     make(map[span]bool),
	}}
	ast.Walk(w, f)
	return w.blocks
}

// A source is the state that the walkers of one file share.
type source struct {
	fset     *token.FileSet
	file     *token.File
	src      []byte
	inserted map[int]bool
	release  gc.Release
	seen     map[span]bool
	blocks   []Block
}

// A span identifies a block in a profile.
type span struct {
	file                                 string
	startLine, startCol, endLine, endCol int
}

// A walker is an ast.Visitor; each function has its own.
type walker struct {
	*source
	fn   ast.Node // innermost function
	name string   // file name of the outermost function, after `//line`
}

func (w *walker) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.FuncDecl:
		// A function named _ never runs, and one without a body has no blocks.
		if n.Name.Name != "_" && n.Body != nil {
			ast.Walk(w.inside(n), n.Body)
		}
		return nil
	case *ast.FuncLit:
		inner := w.inside(n)
		if w.fn != nil {
			ast.Walk(inner, n.Type)
		}
		ast.Walk(inner, n.Body)
		return nil
	case *ast.BlockStmt:
		if list := clauses(n); list != nil {
			// All clauses of a switch or select are numbered before the blocks inside the first.
			for _, c := range list {
				w.list(place{pos: c.colon + 1, at: c.colon + 1, brace: c.colon + 1}, c.end, c.body, false)
			}
			return w
		}
		w.block(n)
	case *ast.IfStmt:
		w.ifStmt(n)
		return nil
	case *ast.SwitchStmt:
		// An empty switch has no place for a counter.
		if n.Body == nil || len(n.Body.List) == 0 {
			w.walk(n.Init)
			w.walk(n.Tag)
			return nil
		}
	case *ast.TypeSwitchStmt:
		if n.Body == nil || len(n.Body.List) == 0 {
			w.walk(n.Init)
			w.walk(n.Assign)
			return nil
		}
	case *ast.SelectStmt:
		if n.Body == nil || len(n.Body.List) == 0 {
			return nil
		}
	}
	return w
}

// inside returns the walker for the body of function fn.
func (w *walker) inside(fn ast.Node) *walker {
	name := w.name
	if w.fn == nil {
		// The profile names the file of each function by the function's start.
		name = filepath.Base(w.fset.Position(fn.Pos()).Filename)
	}
	return &walker{source: w.source, fn: fn, name: name}
}

// walk is ast.Walk for a field that may be nil.
func (w *walker) walk(n ast.Node) {
	if n != nil {
		ast.Walk(w, n)
	}
}

func (w *walker) block(n *ast.BlockStmt) {
	w.list(place{pos: n.Lbrace, at: n.Lbrace + 1, brace: n.Lbrace + 1}, n.Rbrace+1, n.List, true)
}

// ifStmt starts the block of an else right after the keyword, so that the condition of an `else if`
// is inside a block: an implicit one with only the second if.
func (w *walker) ifStmt(n *ast.IfStmt) {
	w.walk(n.Init)
	w.walk(n.Cond)
	w.walk(n.Body)
	if n.Else == nil {
		return
	}
	pos := w.afterElse(n)
	switch e := n.Else.(type) {
	case *ast.BlockStmt:
		// The counter goes inside the existing braces; only the extent starts at the keyword.
		w.list(place{pos: pos, at: e.Lbrace + 1, brace: pos + 1}, e.Rbrace+1, e.List, true)
		for _, s := range e.List {
			ast.Walk(w, s)
		}
	case *ast.IfStmt:
		w.list(place{pos: pos, at: pos, brace: pos + 1, elseIf: e}, e.End()+1, []ast.Stmt{e}, true)
		ast.Walk(w, e)
	}
}

// afterElse returns the position after the keyword else, which follows the body and blanks and
// comments.
func (w *walker) afterElse(n *ast.IfStmt) token.Pos {
	from, to := w.file.Offset(n.Body.End()), w.file.Offset(n.Else.Pos())
	gap := w.src[from:to]
	for i := 0; i < len(gap); i++ {
		if gap[i] == 'e' {
			return w.file.Pos(from + i + len("else"))
		}
		if gap[i] != '/' || i+1 == len(gap) {
			continue
		}
		// Step to the last byte of the comment.
		if gap[i+1] == '/' {
			for i < len(gap)-1 && gap[i] != '\n' {
				i++
			}
			continue
		}
		for i += 3; i < len(gap)-1 && (gap[i-1] != '*' || gap[i] != '/'); i++ {
		}
	}
	return n.Else.Pos() // unreachable if the file was parsed from src
}

// A place is the start of the first block of a statement list.
type place struct {
	pos   token.Pos // start of the extent
	at    token.Pos // position of the counter
	brace token.Pos // start of the extent if the list is empty

	elseIf *ast.IfStmt // see Block
}

// list adds the basic blocks at the top level of a statement list that ends at end. A block ends with
// the first statement that may change the flow of control or that has a function literal. If the
// list is a single block and toEnd is true, the block extends to the closing brace.
func (w *walker) list(p place, end token.Pos, list []ast.Stmt, toEnd bool) {
	if len(list) == 0 {
		// There is no statement to count, but the profile tells whether the body was entered.
		if w.release.CoverCode {
			end = p.brace
		}
		w.add(Block{Start: p.brace, End: end, At: p.at})
		return
	}
	for rest := list; len(rest) > 0; {
		var stop token.Pos // end of the block
		n := 0             // number of statements in it
		var labelled ast.Stmt
		for n < len(rest) && labelled == nil {
			s := rest[n]
			n++
			stop = boundary(s)
			if !endsBlock(s) {
				continue
			}
			toEnd = false
			// A goto may jump to a label, so a block starts after it,
			//	foo: counter; stmt
			// unless it labels a for, switch or select, from which it can't be separated. The
			// label itself counts as a statement of the previous block.
			if l, ok := s.(*ast.LabeledStmt); ok && !keepsLabel(l.Stmt) {
				stop, labelled = l.Pos(), l.Stmt
			}
			break
		}
		if toEnd {
			stop = end
		}
		if p.pos != stop { // between adjacent blocks there is no code
			w.parts(p, stop, n, list, len(list)-len(rest))
		}
		rest = rest[n:]
		if labelled != nil {
			// Continue with the labelled statement as an element of the list.
			rest = append([]ast.Stmt{labelled}, rest...)
			list = rest
		}
		if len(rest) > 0 {
			p = place{pos: rest[0].Pos(), at: rest[0].Pos()}
		}
	}
}

// parts adds the block of list[first:first+n] that ends at stop, split as the release does (see
// gc.Release.CoverCode).
func (w *walker) parts(p place, stop token.Pos, n int, list []ast.Stmt, first int) {
	if !w.release.CoverCode {
		w.add(Block{Start: p.pos, End: stop, NumStmt: n, At: p.at, elseIf: p.elseIf, Dead: dead(list[:first], list[first:])})
		return
	}
	for i, part := range w.code(p.pos, stop, list[first:first+n]) {
		b := Block{Start: part.start, End: part.end, NumStmt: part.to - part.from, At: part.start}
		if i == 0 {
			b.At, b.elseIf = p.at, p.elseIf
		}
		k := first + part.from
		b.Dead = dead(list[:k], list[k:])
		w.add(b)
	}
}

// add completes b and appends it.
func (w *walker) add(b Block) {
	start, end := w.fset.PositionFor(b.Start, !w.release.CoverCode), w.fset.PositionFor(b.End, !w.release.CoverCode)
	key := span{start.Filename + "\x00" + end.Filename, start.Line, start.Column, end.Line, end.Column}
	for w.seen[key] {
		key.endCol++
	}
	w.seen[key] = true
	b.StartLine, b.StartCol, b.EndLine, b.EndCol = key.startLine, key.startCol, key.endLine, key.endCol
	b.File, b.Func = w.name, w.fn
	if b.elseIf != nil {
		b.Close = b.elseIf.End()
	}
	w.blocks = append(w.blocks, b)
}

// Body returns the body of the function that contains the block.
func (b *Block) Body() *ast.BlockStmt {
	if d, ok := b.Func.(*ast.FuncDecl); ok {
		return d.Body
	}
	return b.Func.(*ast.FuncLit).Body
}
