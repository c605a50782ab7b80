package rewrite

import (
	"cmp"
	"go/ast"
	"path/filepath"
	"slices"
)

// numbers says how many constructs that are named by numbers stand in some
// files of a package. All of them may be there many times in one package.
type numbers struct {
	inits, blanks int // functions init and _
	literals      int // function literals of package variables, and those of the first init, which are named like them
}

// Number numbers what has no name of its own in its package over the files of
// all the units, which are those of one package on different platforms, in the
// order of the files' names: so everything is called the same in a build that
// leaves some of them out. It stands between Load and Find, which numbers over
// the files of its unit where Number has not been called.
func Number(units ...*Unit) {
	var files []*file
	for _, u := range units {
		files = append(files, u.files...)
		u.numbered = true
	}
	slices.SortStableFunc(files, func(a, b *file) int { return cmp.Compare(filepath.Base(a.Name), filepath.Base(b.Name)) })
	var before numbers
	for _, f := range files {
		f.before = before
		before.addAll(f)
	}
}

// HasNumbers tells whether anything in the unit has no name of its own in its package.
func (u *Unit) HasNumbers() bool {
	var n numbers
	for _, f := range u.files {
		n.addAll(f)
	}
	return n != numbers{}
}

func (n *numbers) addAll(f *file) {
	for _, decl := range f.ast.Decls {
		n.add(f, decl)
	}
}

// add counts a declaration of a file.
func (n *numbers) add(f *file, decl ast.Decl) {
	fn, isFunc := decl.(*ast.FuncDecl)
	switch {
	case !isFunc:
		n.literals += f.literalsIn(decl)
	case fn.Recv != nil || fn.Body == nil:
	case fn.Name.Name == "_":
		n.blanks++
	case fn.Name.Name == "init":
		if n.inits++; n.inits == 1 {
			n.literals += f.literalsIn(fn.Body)
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
