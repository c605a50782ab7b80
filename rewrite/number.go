package rewrite

import (
	"bytes"
	"cmp"
	"go/ast"
	"path/filepath"
	"slices"
)

// Numbers has, for files of a package, the number of constructs that are named by a
// number across the package.
type Numbers []fileNumbers

// fileNumbers has the counts of one file.
type fileNumbers struct {
	name          string // base name
	inits, blanks int    // functions named init and _
	literals      int    // function literals in initialisers of package variables
	inInit        int    // function literals in its first init; in the package's first init they are numbered with literals
}

// Numbers counts the constructs that are named by a number across the package.
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

// None reports whether all counts are 0.
func (l Numbers) None() bool {
	return !slices.ContainsFunc(l, func(n fileNumbers) bool { return n != fileNumbers{name: n.name} })
}

// Number sets the numbers with which the unit's constructs start. all has the files of
// the package on all platforms, including those of the unit; they are numbered in the
// order of their names, so that names do not depend on which files a build leaves out.
// Call it before Find. Without it, Find numbers the files of the unit only.
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

// numberOwn numbers the files of the unit, unless Find will number them the same way as it walks
// them.
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

// literalsIn returns the number of function literals in n, without nested ones.
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

// mayHoldLiteral is a cheap test whether a node may have a function literal.
func (f *file) mayHoldLiteral(n ast.Node) bool {
	return n != nil && bytes.Contains(f.Text[f.offset(n.Pos()):min(f.offset(n.End()), len(f.Text))], []byte("func"))
}
