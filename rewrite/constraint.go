package rewrite

import (
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"strings"
)

// buildLine returns the //go:build line of a file, "" if it has none. "// +build" lines are
// converted to one.
func (f *file) buildLine() string {
	var plus []constraint.Expr
	for _, g := range f.ast.Comments {
		if g.Pos() > f.ast.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				return c.Text
			}
			if constraint.IsPlusBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					plus = append(plus, x)
				}
			}
		}
	}
	if len(plus) == 0 {
		return ""
	}
	x := plus[0]
	for _, y := range plus[1:] {
		x = &constraint.AndExpr{X: x, Y: y}
	}
	return "//go:build " + x.String()
}

// platform reports whether the name of a file restricts it to an operating system or architecture,
// as in x_linux.go or x_linux_arm64_test.go.
func platform(name string) bool {
	elsewhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p")), nil
	}}
	match, err := elsewhere.MatchFile("", filepath.Base(name))
	return err == nil && !match
}

// conditional reports whether the file is compiled only under a condition: by its name, a
// //go:build line, or because it needs cgo.
func (f *file) conditional() bool {
	return f.cgo || platform(f.Name) || f.buildLine() != ""
}

// condition returns the //go:build line with which another file, if its name has the same suffix,
// is compiled exactly when f is; "" if it needs none.
func (f *file) condition() string {
	line := f.buildLine()
	if !f.cgo {
		return line
	}
	if line == "" {
		return "//go:build cgo"
	}
	x, err := constraint.Parse(line)
	if err != nil {
		return line
	}
	return "//go:build " + (&constraint.AndExpr{X: x, Y: &constraint.TagExpr{Tag: "cgo"}}).String()
}
