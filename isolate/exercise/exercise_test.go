package exercise

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/tier"
)

// made returns a plan for a package of one file.
func made(t *testing.T, source string, functions ...string) (*Plan, string) {
	t.Helper()
	return madeIn(t, "1.26", source, functions...)
}

// madeIn is made for a module with the given language version.
func madeIn(t *testing.T, language, source string, functions ...string) (*Plan, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo " + language + "\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range functions {
		functions[i] = "example.com/p." + f
	}
	plan, err := Make(t.Context(), Options{Dir: dir, Environ: append(os.Environ(), "GOFLAGS="+tier.CachedFlags(), "GOWORK=off"), Patterns: []string{"."}, Functions: functions})
	if err != nil {
		t.Fatal(err)
	}
	return plan, dir
}

// run runs the test of a plan.
func run(t *testing.T, plan *Plan, dir string) (output []byte, err error) {
	t.Helper()
	for name, text := range plan.Files {
		if name != filepath.Join(dir, FileName) {
			t.Errorf("file %s", name)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-v", "-run", Test, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS="+tier.CachedFlags(), "GOWORK=off")
	return cmd.CombinedOutput()
}

const shapes = `package p

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"net"
	"sync"
	"time"
	"unsafe"
)

func Basics(b bool, i int, u uint8, f float64, c complex128, s string, r rune) {}
func Composites(l []string, m map[string][]int, a [3]byte, p *int, b []byte, v ...int) {}
func Interfaces(r io.Reader, w io.Writer, e error, x any, s fmt.Stringer, c context.Context, t time.Time) {}
func Functions(f func(int, ...string) (error, int), g func()) { g() }
func Channels(in <-chan int, out chan<- string) { for range in {} }
func Max[T cmp.Ordered](a, b T) T { return max(a, b) }
func Keys[M ~map[K]V, K comparable, V any](m M) (keys []K) { for k := range m { keys = append(keys, k) }; return }

type Options struct {
	Name  string
	Depth int
	Next  *Options
	own   func()
}

func With(o Options, p *Options) {}

type Tree struct{ root *int }

func NewTree(n int) (*Tree, error) { return &Tree{&n}, nil }
func (t *Tree) Root() int { return *t.root }
func (t Tree) Copy() Tree { return t }

type Stack[T any] struct{ list []T }

func (s *Stack[T]) Push(v T) { s.list = append(s.list, v) }

type hidden int

func Hidden(h hidden) {}
func Pointer(p unsafe.Pointer) {}

type odd interface{ Odd(hidden) }

func Odd(o odd) {}

func Panics(i int) { panic(i) }
func Hangs() { select {} }

func Reads() { helper("x") }
func helper(name string) { os.ReadFile(name) }
func Runs() { exec.Command("true").Run() }
func Dials() { net.Dial("tcp", "x") }
func Exits() { os.Exit(1) }
func Prints() { fmt.Println("x") }

var once sync.Once

func Once() { once.Do(func() { os.Remove("x") }) }

// Formats and Writes touch memory only.
func Formats(n int) string { return fmt.Sprintf("%d", n) }
func Writes(w io.Writer) { fmt.Fprintln(w, "x") }
`

// Callable functions are called; the plan explains why others are not; the test compiles and makes
// the calls.
func TestMake(t *testing.T) {
	good := []string{
		"Basics", "Composites", "Interfaces", "Functions", "Channels", "Max", "Keys", "With", "NewTree", "(*Tree).Root", "Tree.Copy",
		"(*Stack).Push", "Formats", "Writes", "Panics", "Hangs",
	}
	bad := map[string]string{
		"Hidden": "type hidden is not exported", "Pointer": "no value of type unsafe.Pointer can be made", "Odd": "type odd is not exported",
		"Reads": "it may reach (*os.File).", "Runs": "it may reach ", "Dials": "it may reach ", "Exits": "it may reach ", "Prints": "it may reach (*os.File).Write",
		"Once": "it may reach ", "Gone": "it is not declared in this build of the package",
	}
	names := slices.Clone(good)
	for name := range bad {
		names = append(names, name)
	}
	plan, dir := made(t, shapes, names...)
	var called []string
	for _, name := range plan.Functions {
		called = append(called, strings.TrimPrefix(name, "example.com/p."))
	}
	slices.Sort(good)
	if diff := cmp.Diff(good, called); diff != "" {
		t.Errorf("called (-want +got)\n%s", diff)
	}
	for _, r := range plan.Refused {
		name := strings.TrimPrefix(r.Name, "example.com/p.")
		if want, ok := bad[name]; !ok || !strings.HasPrefix(r.Why, want) {
			t.Errorf("%s is refused: %s; want %q", name, r.Why, want)
		}
	}
	if len(plan.Refused) != len(bad) {
		t.Errorf("refused %v", plan.Refused)
	}
	out, err := run(t, plan, dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	outcomes := ParseOutcomes(out)
	if len(outcomes) != len(good) {
		t.Errorf("%d outcomes, want %d\n%s", len(outcomes), len(good), out)
	}
	for _, o := range outcomes {
		want := map[string]string{"Panics": "every call with made-up arguments panics", "Hangs": "a call with made-up arguments does not return"}
		name := strings.TrimPrefix(o.Name, "example.com/p.")
		if got := o.Useless(); got != want[name] || !o.Hung && o.Calls == 0 {
			t.Errorf("%+v: %q, want %q", o, got, want[name])
		}
	}
}

// Calls also work in modules with older language versions.
func TestOldLanguage(t *testing.T) {
	plan, dir := madeIn(t, "1.17", "package p\n\nfunc F(x interface{}, list []string, more ...int) {}\n", "F")
	out, err := run(t, plan, dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if list := ParseOutcomes(out); len(list) != 1 || list[0].Calls == 0 || list[0].Useless() != "" {
		t.Errorf("%+v\n%s", list, out)
	}
}

// The function whose calls end the process is identified, whatever others have printed before.
func TestDied(t *testing.T) {
	plan, dir := made(t, "package p\n\nfunc A() {}\n\nfunc B(n int) { m := map[int]int{}; go func() { panic(m) }(); select {} }\n\nfunc C() {}\n", "A", "B", "C")
	out, err := run(t, plan, dir)
	if err == nil {
		t.Fatalf("it went well\n%s", out)
	}
	var got []string
	for _, o := range ParseOutcomes(out) {
		got = append(got, o.Name+": "+o.Useless())
	}
	if diff := cmp.Diff([]string{"example.com/p.A: ", "example.com/p.B: a call with made-up arguments ends the process"}, got); diff != "" {
		t.Errorf("outcomes (-want +got)\n%s\n%s", diff, out)
	}
}

// Functions of package os that change or read anything outside the process are not called.
func TestEffects(t *testing.T) {
	names := []string{
		"os.Exit", "os.Remove", "os.Create", "os.Getwd", "os.Chdir", "os.Setenv", "os.Unsetenv", "os.Hostname", "os.Pipe", "os.Rename",
		"os.(*File).Write", "os.(*File).Close", "os.(*Process).Kill", "os.StartProcess", "os.Getenv", "os.IsNotExist", "os.(*LinkError).Error",
	}
	plan, err := Make(t.Context(), Options{Patterns: []string{"os"}, Functions: names})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"os.(*LinkError).Error", "os.Getenv", "os.IsNotExist"}, plan.Functions); diff != "" {
		t.Errorf("called (-want +got)\n%s", diff)
	}
}

// Functions missing in a plan are refused, including those of package main and of a package that
// does not build.
func TestNothingToCall(t *testing.T) {
	for source, why := range map[string]string{
		"package main\n\nfunc F() {}\n\nfunc main() {}\n": "nothing can import package main",
		"package p\n\nfunc F() { x }\n":                   "its package does not build",
	} {
		plan, _ := made(t, source, "F")
		if len(plan.Files) > 0 || len(plan.Refused) != 1 || plan.Refused[0].Why != why {
			t.Errorf("%q: %+v", source, plan)
		}
	}
}

func FuzzOutcomes(f *testing.F) {
	f.Add([]byte("x\nmarkgen-exercise\tbegun\t0\tp.F\nmarkgen-exercise\t10\t3\tp.F\nmarkgen-exercise\thung\t0\tp.G\nmarkgen-exercise\t\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, o := range ParseOutcomes(text) {
			if o.Name != "" && o.Hung && o.Useless() == "" {
				t.Errorf("%+v is of use", o)
			}
		}
	})
}
