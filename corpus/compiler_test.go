package corpus

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// compiler compares what the compiler says, with -gcflags=-m, of the plain and of the marked packages:
// which functions can be inlined, which calls are, and what is allocated on the heap, on which line.
func (w *workplace) compiler(t *testing.T, exceptions []*exception) row {
	r := row{entry: w.entry.name, mode: "compiler"}
	var plain, marked map[string]bool
	plain, r.plain = w.decisions(t, "go", "build")
	marked, r.marked = w.decisions(t, w.exe, append([]string{"build", "-all"}, w.markFlags()...)...)
	r.decisions = len(plain)
	if r.decisions == 0 {
		t.Errorf("compiler: it says nothing of the plain packages")
	}
	for _, decision := range sortedKeys(plain, marked) {
		if plain[decision] == marked[decision] {
			continue
		}
		if excepted(exceptions, w.entry.name, "compiler", decision) {
			r.excepted++
			continue
		}
		r.different++
		side := "plain"
		if marked[decision] {
			side = "marked"
		}
		t.Errorf("compiler: only %s: %s", side, decision)
	}
	return r
}

// decisions runs a build and returns what the compiler says of the packages of the entry.
func (w *workplace) decisions(t *testing.T, exe string, args ...string) (map[string]bool, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	args = append(append(args, "-gcflags=-m"), w.entry.packages...)
	cmd := w.command(ctx, exe, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	d := time.Since(start)
	if err != nil {
		t.Fatalf("%s %q: %v\n%.3000s", filepath.Base(exe), args, err, out)
	}
	return readDecisions(string(out)), d
}

var (
	decisionLine = regexp.MustCompile(`^\S*?([^/\\: ]+\.go:\d+)(?::\d+)?: (.*)$`)
	decision     = regexp.MustCompile(`^(can inline \S+|inlining call to \S+|moved to heap: .*|.* escapes to heap)`)

	// The second body of a function has function literals of its own, so that the numbers of others differ.
	literal = regexp.MustCompile(`(\.func|\.gowrap|-range|\.deferwrap)\d+`)

	// What markers are made of.
	ours = regexp.MustCompile(`\bperf\.|\bperfmarks|\bmarkgen`)
)

// readDecisions returns the decisions in what the compiler says, as "PACKAGE FILE:LINE TEXT".
func readDecisions(output string) map[string]bool {
	found := map[string]bool{}
	pkg := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			pkg = name
			continue
		}
		m := decisionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if text := decision.FindString(m[2]); text != "" && !ours.MatchString(text) {
			found[fmt.Sprint(pkg, " ", m[1], " ", literal.ReplaceAllString(text, "$1"))] = true
		}
	}
	return found
}

func TestReadDecisions(t *testing.T) {
	got := readDecisions(`# example.com/a
./x.go:3:6: can inline F
./x.go:7:10: inlining call to F
./x.go:7:10: F.func2 escapes to heap
./x.go:8:2: moved to heap: v
./x.go:9:2: p does not escape
./x.go:9:4: inlining call to perf.Tally
../../src/b/y.go:1:6: can inline (*T).M[go.shape.int]
`)
	want := []string{
		"example.com/a x.go:3 can inline F", "example.com/a x.go:7 inlining call to F", "example.com/a x.go:7 F.func escapes to heap",
		"example.com/a x.go:8 moved to heap: v", "example.com/a y.go:1 can inline (*T).M[go.shape.int]",
	}
	for _, d := range want {
		if !got[d] {
			t.Errorf("%q is not found in %v", d, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %v", got)
	}
}
