package rewrite

import (
	"go/build/constraint"
	"path/filepath"
	"strings"
)

// buildLine is the //go:build line of a file, "" if it has none. Lines of the
// older form "// +build" are put into one of the newer.
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

// platform reports whether the name of a file keeps it to one operating system or
// processor, as in x_linux.go or x_linux_arm64_test.go.
func platform(name string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
	words := strings.Split(base, "_")
	n := len(words)
	return n > 1 && (systems[words[n-1]] || processors[words[n-1]])
}

// conditional reports whether something decides about the file being compiled: its
// name, a //go:build line, or the cgo tool being at hand.
func (f *file) conditional() bool {
	return f.cgo || platform(f.Name) || f.buildLine() != ""
}

// condition is the //go:build line that, with the same end of its name, makes
// another file be compiled whenever f is; "" for none.
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

// The words that have a meaning at the end of a file's name, from the Go
// distribution's internal/syslist.
var (
	systems = set("aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl",
		"netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos")
	processors = set("386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle",
		"mips64", "mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390",
		"s390x", "sparc", "sparc64", "wasm")
)
