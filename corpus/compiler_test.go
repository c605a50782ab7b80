package corpus

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/rewrite/gc"
	"github.com/markgen/markgen/tier"
)

// TestCompiler compares what the compiler decides, according to -gcflags=-m, about plain and marked
// packages: which functions can be inlined, which calls are, and what is allocated on the heap. The
// decisions that may differ are listed in compiler.txt; with -update, the lists of the entries that
// run are rewritten. What only a later release than the oldest decides differently has lists of its
// own, so run it with the oldest first.
func TestCompiler(t *testing.T) {
	tier.Test(t)
	exe, err := markgen()
	if err != nil {
		t.Fatal(err)
	}
	allowed := readAllowed(t)
	allowed.release = gc.Of(goVersion(t)).Lang
	for _, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			e.choose(t)
			w := &workplace{entry: e, exe: exe, dir: prepare(t, e)}
			plain := w.decisions(t, "go", "build")
			marked := w.decisions(t, w.exe, append([]string{"build", "-all"}, w.markFlags()...)...)
			if len(plain) == 0 {
				t.Error("the compiler says nothing about the plain packages")
			}
			var differ []string
			for _, decision := range sortedKeys(plain, marked) {
				switch {
				case plain[decision] == marked[decision]:
				case plain[decision]:
					differ = append(differ, "- "+decision)
				default:
					differ = append(differ, "+ "+decision)
				}
			}
			t.Logf("%d decisions, %d differ", len(plain), len(differ))
			if golden.Updating() {
				allowed.set(e.name, differ)
				return
			}
			for _, d := range differ {
				if !allowed.has(e.name, d) {
					t.Errorf("not in compiler.txt: %s", d)
				}
			}
			for _, d := range allowed.lists[allowed.section(e.name)] {
				if !slices.Contains(differ, d) {
					t.Errorf("in compiler.txt, and no difference any more: %s", d)
				}
			}
		})
	}
	if golden.Updating() {
		allowed.write(t)
	}
}

const allowedFile = "compiler.txt"

// allowed holds the decisions that may differ.
type allowed struct {
	head    string              // comment at the top of the file
	release string              // of the toolchain that is tested
	lists   map[string][]string // by entry, or by entry and release: "sort go1.27"
}

// goVersion returns the version of the toolchain that is tested.
func goVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// section returns the key of the list that belongs to the release, which for the oldest one is that
// of all releases.
func (a *allowed) section(name string) string {
	if a.release == gc.Releases[0].Lang {
		return name
	}
	return name + " " + a.release
}

// set replaces the list that belongs to the release.
func (a *allowed) set(name string, differ []string) {
	section := a.section(name)
	a.lists[section] = nil
	for _, d := range differ {
		if section == name || !slices.Contains(a.lists[name], d) {
			a.lists[section] = append(a.lists[section], d)
		}
	}
}

func readAllowed(t *testing.T) *allowed {
	t.Helper()
	f, err := os.Open(allowedFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a := &allowed{lists: map[string][]string{}}
	name := ""
	s := bufio.NewScanner(f)
	for s.Scan() {
		switch line := s.Text(); {
		case strings.HasPrefix(line, "#"):
			a.head += line + "\n"
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "+ "):
			a.lists[name] = append(a.lists[name], line)
		case line != "":
			name = strings.TrimSuffix(line, ":")
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *allowed) has(name, decision string) bool {
	return slices.Contains(a.lists[name], decision) || slices.Contains(a.lists[a.section(name)], decision)
}

func (a *allowed) write(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString(a.head)
	for _, e := range entries {
		for _, r := range gc.Releases {
			section := (&allowed{release: r.Lang}).section(e.name)
			if list := a.lists[section]; len(list) > 0 {
				fmt.Fprintf(&b, "\n%s:\n%s\n", section, strings.Join(list, "\n"))
			}
		}
	}
	if err := os.WriteFile(allowedFile, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// decisions runs a build and returns what the compiler decides about the packages of the entry.
func (w *workplace) decisions(t *testing.T, exe string, args ...string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	args = append(append(args, "-gcflags=-m"), w.entry.packages...)
	out, err := w.command(ctx, exe, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%.3000s", filepath.Base(exe), args, err, out)
	}
	return readDecisions(string(out))
}

var (
	decisionLine = regexp.MustCompile(`^\S*?([^/\\: ]+\.go):\d+(?::\d+)?: (.*)$`)
	decision     = regexp.MustCompile(`^(can inline \S+|inlining call to \S+|moved to heap: .*|.* escapes to heap)`)

	// The second body of a function has function literals of its own, so the numbers of others
	// differ, as do those of temporary variables.
	numbered = regexp.MustCompile(`(\.func|\.gowrap|-range|\.autotmp_|~r)\d+`)

	// Names in planted code, generic functions of the runtime, which are compiled with each package,
	// and the functions that the compiler makes of deferred calls.
	planted = regexp.MustCompile(`\bperf\.|\bperfmarks|\bmarkgen|\bdirectory\.\(\*Of\[|\.deferwrap\d+`)
)

// readDecisions returns the decisions in the compiler's output, as "PACKAGE FILE TEXT".
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
		if text := decision.FindString(m[2]); text != "" && !planted.MatchString(text) {
			found[fmt.Sprint(pkg, " ", m[1], " ", numbered.ReplaceAllString(text, "$1"))] = true
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
./x.go:9:8: can inline F.deferwrap1
../../src/b/y.go:1:6: can inline (*T).M[go.shape.int]
`)
	want := []string{
		"example.com/a x.go can inline F", "example.com/a x.go inlining call to F", "example.com/a x.go F.func escapes to heap",
		"example.com/a x.go moved to heap: v", "example.com/a y.go can inline (*T).M[go.shape.int]",
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
