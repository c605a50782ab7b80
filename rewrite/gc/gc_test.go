package gc

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		version, lang string
		newer         bool
	}{
		{"go1.25.4", "go1.26", false},
		{"go1.26rc1", "go1.26", false},
		{"go1.26.8", "go1.26", false},
		{"go1.27rc2", "go1.27", false},
		{"go1.27.4", "go1.27", false},
		{"go1.27.4-custom", "go1.27", false},
		{"go1.28.0", "go1.27", true},
		{"go2.0", "go1.27", true},
		{"devel go1.28-abcdef", "go1.27", true},
		{"", "go1.26", false},
	} {
		if got := Of(tt.version); got.Lang != tt.lang || Newer(tt.version) != tt.newer {
			t.Errorf("%q is taken as %s, newer %t; want %s, %t", tt.version, got.Lang, Newer(tt.version), tt.lang, tt.newer)
		}
	}
}

func TestNewerSyntax(t *testing.T) {
	for _, tt := range []struct {
		used, built string
		told        bool
	}{
		{"go1.26.8", "go1.26.1", false},
		{"go1.26.8", "go1.27.4", false},
		{"go1.27.4", "go1.26.8", true},
		{"devel go1.28-5bd7fac", "go1.27.4", true},
		{"go1.27.4", "devel go1.28-5bd7fac", false},
		{"", "go1.26.8", false},
	} {
		if err := newerSyntax(tt.used, tt.built); (err != nil) != tt.told {
			t.Errorf("%s with a program built with %s: %v", tt.used, tt.built, err)
		}
	}
	want := "this markgen was built with go1.26.8 and cannot read syntax that is newer; the toolchain in use is go1.27.4; build markgen with that (GOTOOLCHAIN=go1.27.4)"
	if err := newerSyntax("go1.27.4", "go1.26.8"); err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// compilerSource returns the name of a source file of the running toolchain's compiler.
func compilerSource(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(tier.GOROOT(t), "src/cmd/compile/internal", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("this installation of Go lacks the compiler's source: %v", err)
	}
	return path
}

func TestInlinerLimits(t *testing.T) {
	name := compilerSource(t, "inline/inl.go")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The constants depend on nothing but each other, so they are checked without the rest of the package.
	consts := &ast.File{Name: f.Name}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			consts.Decls = append(consts.Decls, g)
		}
	}
	pkg, err := new(types.Config).Check("inline", fset, []*ast.File{consts}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{
		"inlineMaxBudget":             InlineBudget,
		"inlineExtraCallCost":         CallCost,
		"inlineClosureCalledOnceCost": OnceBudget,
	} {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("%s: there is no constant %s any more", runtime.Version(), name)
			continue
		}
		if got, _ := constant.Int64Val(c.Val()); got != want {
			t.Errorf("%s: %s is %d, want %d", runtime.Version(), name, got, want)
		}
	}
}

// TestCoverCode checks the extent of blocks in cmd/cover.
func TestCoverCode(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte("package p\n\nfunc f() {\n\tf()\n\n\tf()\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "cover", "-mode=count", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	counters := strings.Count(string(out), "GoCover.Count[")
	if split := counters == 2; counters == 0 || split != Of(runtime.Version()).CoverCode {
		t.Errorf("%s counts two calls with an empty line between them in %d blocks; the table of releases has CoverCode %t", runtime.Version(), counters, Of(runtime.Version()).CoverCode)
	}
}

// TestFrameType checks the OutputType of the last line of a package that fails.
func TestFrameType(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fail() }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-json", "-vet=off", ".")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+tier.CachedFlags())
	out, _ := cmd.Output()
	last := regexp.MustCompile(`"Output":"FAIL\\tm\\t[^"]*"(?:,"OutputType":"(\w*)")?\}`).FindSubmatch(out)
	if last == nil {
		t.Fatalf("there is no such line in\n%s", out)
	}
	if want := Of(runtime.Version()).FrameType; string(last[1]) != want {
		t.Errorf("%s: its OutputType is %q; the table of releases has %q", runtime.Version(), last[1], want)
	}
}
