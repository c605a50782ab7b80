package overlay_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// Go does not know what markgen tells the compiler about markers, so a build could get from go's
// cache a package compiled without that information, as with a -toolexec of the user's. With
// -toolexec markers are called, otherwise they are inlined, whichever is built first.
func TestCompilerConfig(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the compiler gets no information on " + runtime.GOARCH)
	}
	markgen, dir := trapMarkgen(t), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/told\n\ngo 1.25\n",
		"p.go":      "package told\n\nfunc larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n",
		"p_test.go": "package told\n\nimport \"testing\"\n\nfunc TestLarger(t *testing.T) { _ = larger(1, len(t.Name())) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		flags  []string
		called bool
	}{{[]string{"-toolexec=env"}, true}, {nil, false}, {[]string{"-toolexec=env"}, true}} {
		exe := filepath.Join(dir, "told.test")
		trapMust(t, dir, nil, markgen, append(append([]string{"test", "-c", "-cover", "-o", exe}, tt.flags...), ".")...)
		text := trapMust(t, dir, nil, "go", "tool", "objdump", "-s", `^example\.com/told\.`, exe).stdout
		called := false
		for line := range strings.Lines(text) {
			called = called || strings.Contains(line, "CALL markgen/perf.Tally")
		}
		if called != tt.called {
			t.Errorf("%v: counters are called: %v, want %v\n%s", tt.flags, called, tt.called, text)
		}
	}
}
