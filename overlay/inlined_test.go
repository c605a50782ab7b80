package overlay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// The compiler inlines in a marked program what it inlines in the plain one, so that both have the
// same allocations and the same names in stack traces, whether markers are off or collect.
func TestInlined(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/inlined/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"go.mod": []byte("module inlined\n\ngo 1.26\n"), "main.go": source, "long.go": longFunctions()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"GOFLAGS=" + tier.CachedFlags(), "GOWORK=off", "MARKGEN="}
	plain := inlined(trapMust(t, dir, environ, "go", "build", "-gcflags=-m", "-o", "plain", ".").stderr)
	marked := inlined(trapMust(t, dir, environ, trapMarkgen(t), "build", "-all", "-gcflags=-m", "-o", "marked", ".").stderr)
	if len(plain) < 20 {
		t.Fatalf("the compiler told little: %q", plain)
	}
	for _, line := range plain {
		if !slices.Contains(marked, line) {
			t.Errorf("only in the plain program: %s", line)
		}
	}
	for _, line := range marked {
		if !slices.Contains(plain, line) {
			t.Errorf("only in the marked program: %s", line)
		}
	}
	want := trapMust(t, dir, environ, filepath.Join(dir, "plain")).stdout
	for _, setting := range []string{"", "file=" + filepath.Join(dir, "data")} {
		if got := trapMust(t, dir, []string{"MARKGEN=" + setting}, filepath.Join(dir, "marked")).stdout; got != want {
			t.Errorf("MARKGEN=%s: stdout differs\n%s", setting, trapDiff(got, want))
		}
	}
}

// longFunctions returns a file with functions just short enough, if their markers take few nodes,
// that the compiler still inlines calls in them.
func longFunctions() []byte {
	var text, cases strings.Builder
	for i := range 115 {
		fmt.Fprintf(&cases, "\tcase %d:\n\t\tif n > r {\n\t\t\tr += n*%d + r\n\t\t}\n", i, i)
	}
	text.WriteString("package main\n\nfunc newItem(n int) *item { return &item{n, n * n, n + n*n} }\n\nfunc init() { long = append(long, plain, defers) }\n")
	for _, function := range []struct{ name, before string }{{"plain", ""}, {"defers", "\tdefer func() { r++ }()\n"}} {
		fmt.Fprintf(&text, "\nfunc %s(n int) (r int) {\n%s\tp := newItem(n)\n\tr = p.a + p.b\n\tswitch n {\n%s\t}\n\treturn r\n}\n",
			function.name, function.before, cases.String())
	}
	return []byte(text.String())
}

var inlinedLine = regexp.MustCompile(`^\S*?([^/\\: ]+:\d+)(?::\d+)?: (can inline|inlining call to) (\S+)`)

// inlined returns the sorted distinct lines of the compiler's output about inlining, except those
// about the runtime's functions, of which generic and promoted ones are compiled
// with the program, and deferred calls.
func inlined(output string) (lines []string) {
	for line := range strings.Lines(output) {
		if m := inlinedLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[3], "perf.") && !strings.HasPrefix(m[3], "directory.") && !strings.HasPrefix(m[3], "collect.") && !strings.Contains(m[3], ".deferwrap") {
			lines = append(lines, fmt.Sprint(m[1], " ", m[2], " ", m[3]))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
