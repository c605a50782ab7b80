package overlay_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// recursive is a program with functions that call themselves in several ways, and so small that the
// compiler inlines them, once into themselves where possible.
const recursive = `package main

import "os"

//perf:mark
func direct(n int) int {
	if n == 0 {
		return 1
	}
	return 1 + direct(n-1)
}

//perf:mark
func even(n int) bool {
	if n == 0 {
		return true
	}
	return odd(n - 1)
}

//perf:mark
func odd(n int) bool {
	if n == 0 {
		return false
	}
	return even(n - 1)
}

type node struct{ left, right *node }

//perf:mark
func (t *node) each(yield func(*node) bool) bool {
	return t == nil || t.left.each(yield) && yield(t) && t.right.each(yield)
}

//perf:mark
func (t *node) depth() int {
	next := t.left
	if next == nil {
		return 0
	}
	return 1 + next.depth()
}

//perf:mark
func literal(n int) (s int) {
	if n > 0 {
		func() { s = literal(n - 1) }()
	}
	return
}

func main() {
	t := &node{left: &node{left: &node{}}, right: &node{}}
	for range len(os.Args) {
		direct(5)
		even(5)
		t.each(func(*node) bool { return true })
		t.depth()
		literal(5)
	}
}
`

// A scope of a recursive function is ended by the call that opened it, in each form.
func TestTraceRecursion(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	for _, flags := range [][]string{nil, {"-form", "open"}, {"-form", "guarded"}, {"-form", "twin"}} {
		dir := module(t, map[string]string{"main.go": recursive})
		k := &keptProgram{trapMarkgen(t), filepath.Join(dir, "recursive"), t.TempDir()}
		if text, err := markgenIn(t, dir, t.TempDir(), append(append([]string{"build"}, flags...), "-o", k.program, ".")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		by, _ := steps(t, k.alone(t, "collect=trace"))
		for _, list := range by {
			if all := 2 * (6 + 6 + 9 + 3 + 6); len(list) != all {
				t.Errorf("%v: %d records, want %d", flags, len(list), all)
			}
			open := 0
			for _, step := range list {
				name, _, entered := strings.Cut(step, "+")
				if entered {
					open++
				}
				if want := fmt.Sprintf("%s+%d", name, open); entered && step != want || strings.Contains(step, "!") {
					t.Errorf("%v: %s, want %s", flags, step, want)
				}
				if !entered {
					open--
				}
			}
		}
	}
}
