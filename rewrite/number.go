package rewrite

import (
	"bytes"
	"cmp"
	"go/ast"
	"path/filepath"
	"slices"
)

// Numbers say how many constructs that are named by numbers stand in files of
// a package.
type Numbers []fileNumbers

// fileNumbers are those of one file. All of them may be there many times in one
// package.
type fileNumbers struct {
	name          string // base name
	inits, blanks int    // functions init and _
	literals      int    // function literals of package variables
	inInit        int    // function literals in its first init: those of the package's first are named like the variables'
}

// Numbers counts what has no name of its own in its package.
func (u *Unit) Numbers() Numbers {
	list := make(Numbers, len(u.files))
	for i, f := range u.files {
		n := &list[i]
		n.name = filepath.Base(f.Name)
		for _, decl := range f.ast.Decls {
			n.add(f, decl)
		}
	}
	return list
}

// None tells that there is nothing of the kind.
func (l Numbers) None() bool {
	return !slices.ContainsFunc(l, func(n fileNumbers) bool { return n != fileNumbers{name: n.name} })
}

// Number has the unit number what has no name of its own over the files of all,
// which are those of its package on all platforms, its own among them, in the
// order of their names: so everything is called the same in a build that leaves
// some of them out. It stands in front of Find, which numbers over the files of
// the unit where Number has not been called.
func (u *Unit) Number(all Numbers) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b fileNumbers) int { return cmp.Compare(a.name, b.name) })
	before := make(map[string]fileNumbers, len(all))
	var sum fileNumbers
	for _, n := range all {
		before[n.name] = sum
		if sum.inits == 0 {
			sum.literals += n.inInit
		}
		sum.inits += n.inits
		sum.blanks += n.blanks
		sum.literals += n.literals
	}
	for _, f := range u.files {
		f.before = before[filepath.Base(f.Name)]
	}
	u.numbered = true
}

// numberOwn numbers over the files of the unit, unless Find would come to the
// same by going through them.
func (u *Unit) numberOwn() {
	inOrder := slices.IsSortedFunc(u.files, func(a, b *file) int { return cmp.Compare(filepath.Base(a.Name), filepath.Base(b.Name)) })
	if !inOrder || slices.ContainsFunc(u.files, func(f *file) bool { return f.left }) {
		u.Number(u.Numbers())
	}
}

// add counts a declaration of a file.
func (n *fileNumbers) add(f *file, decl ast.Decl) {
	fn, isFunc := decl.(*ast.FuncDecl)
	switch {
	case !isFunc:
		n.literals += f.literalsIn(decl)
	case fn.Recv != nil || fn.Body == nil:
	case fn.Name.Name == "_":
		n.blanks++
	case fn.Name.Name == "init":
		if n.inits++; n.inits == 1 {
			n.inInit = f.literalsIn(fn.Body)
		}
	}
}

// literalsIn counts function literals that do not stand in another one.
func (f *file) literalsIn(n ast.Node) (count int) {
	if !f.mayHoldLiteral(n) {
		return 0
	}
	ast.Inspect(n, func(n ast.Node) bool {
		_, isLiteral := n.(*ast.FuncLit)
		if isLiteral {
			count++
		}
		return !isLiteral
	})
	return count
}

// mayHoldLiteral is the cheap test before a node is searched.
func (f *file) mayHoldLiteral(n ast.Node) bool {
	return n != nil && bytes.Contains(f.Text[f.offset(n.Pos()):min(f.offset(n.End()), len(f.Text))], []byte("func"))
}
