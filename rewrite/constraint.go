package rewrite

import (
	"go/build/constraint"
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
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
	words := strings.Split(base, "_")
	n := len(words)
	return n > 1 && (systems[words[n-1]] || processors[words[n-1]])
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

// Operating systems and architectures in file name suffixes, from internal/syslist of the Go
// distribution.
var (
	systems = set("aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl",
		"netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos")
	processors = set("386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle",
		"mips64", "mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390",
		"s390x", "sparc", "sparc64", "wasm")
)
