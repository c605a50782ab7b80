package deep

import (
	"fmt"
	"go/ast"
	"go/token"
)

// The state of a goroutine is in its status, g.atomicstatus. Nearly all changes are made by
// casgstatus, in the condition of a loop. The other changes are compare-and-swaps that usually
// succeed, in the condition of an if statement whose body handles failure, or of a loop. A call is
// inserted after each of these statements, except where the change neither begins nor ends running,
// such as a change of the scan bit.
//
// System calls are the exception: code after the status change must not save registers in the g (as
// reading the clock does on some systems). So the call is inserted at the beginning of the
// functions that enter a system call.
const (
	statusLoop   = "loop in function casgstatus that changes the status of a goroutine"
	preemptLoop  = "loop in function casGToPreemptScan that changes the status of a goroutine"
	enterSyscall = "function reentersyscall, by which goroutines enter system calls"
	blockSyscall = "function entersyscallblock, by which goroutines enter system calls"
	waitReasons  = "variable waitReasonStrings"
)

// statusChanges inserts calls of markgenTurns where a function changes a goroutine's state.
func (r *rewriter) statusChanges(text []byte, f *ast.FuncDecl) {
	name := f.Name.Name
	for _, enter := range []struct{ name, what string }{{"reentersyscall", enterSyscall}, {"entersyscallblock", blockSyscall}} {
		if name == enter.name {
			r.found[enter.what]++
			r.insert(f.Body.Lbrace+1, " if MarkgenFollowed != 0 { markgenTurns(getg(), _Gsyscall) };")
		}
	}
	seen := map[*ast.CallExpr]bool{}
	behind := func(s ast.Stmt, cond ast.Expr) {
		swap := statusSwap(cond)
		if swap == nil {
			return
		}
		seen[swap] = true
		gp := r.source(text, swap.Fun.(*ast.SelectorExpr).X.(*ast.SelectorExpr).X)
		status := r.source(text, swap.Args[1])
		switch {
		case name == "casgstatus":
			r.found[statusLoop]++
			r.insert(s.End(), fmt.Sprintf("; if MarkgenFollowed != 0 && %s != _Gsyscall { markgenTurns(%s, %s) }", status, gp, status))
		case name == "casGToPreemptScan":
			r.found[preemptLoop]++
			fallthrough
		case running(swap) && status != "_Gsyscall":
			r.insert(s.End(), fmt.Sprintf("; if MarkgenFollowed != 0 { markgenTurns(%s, (%s)&^_Gscan) }", gp, status))
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			behind(n, n.Cond)
		case *ast.ForStmt:
			behind(n, n.Cond)
		case *ast.CallExpr:
			if isStatusSwap(n) && running(n) && !seen[n] {
				r.missAt(n.Pos(), "func "+name+" changes whether a goroutine runs, in a way that is not known")
			}
		}
		return true
	})
}

// statusSwap returns the compare-and-swap call in a condition that is true if the swap failed: a ||
// !gp.atomicstatus.CompareAndSwap(…). It returns nil if there is none.
func statusSwap(cond ast.Expr) *ast.CallExpr {
	if or, ok := cond.(*ast.BinaryExpr); ok && or.Op == token.LOR {
		return statusSwap(or.Y)
	}
	not, ok := cond.(*ast.UnaryExpr)
	if !ok || not.Op != token.NOT {
		return nil
	}
	if c, ok := not.X.(*ast.CallExpr); ok && isStatusSwap(c) {
		return c
	}
	return nil
}

// isStatusSwap reports whether the call is x.atomicstatus.CompareAndSwap(old, new).
func isStatusSwap(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "CompareAndSwap" && field(s.X) == "atomicstatus" && len(c.Args) == 2
}

// running reports whether the old or the new status is _Grunning.
func running(swap *ast.CallExpr) bool {
	found := false
	for _, arg := range swap.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "_Grunning" {
				found = true
			}
			return true
		})
	}
	return found
}

// reasons looks for the texts of wait reasons, which distinguish the kinds of waiting.
func (r *rewriter) reasons(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && v.Names[0].Name == "waitReasonStrings" {
			r.found[waitReasons]++
		}
	}
}
