package random_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Go compiles the deferred calls of a function in one of two ways. Open-coded, they are called at
// each return, and a stack trace shows the line of that return while they run. Otherwise they are
// called at the function's last line:
//
//	func first(n int) int {
//		defer line()
//		for i := range numbers() {
//			if i == n { return i }
//		} // open-coded, line is called here
//		return -1 // and here
//	} // otherwise here
//
// Deferred calls are not open-coded if there are more than 8, if returns times deferred calls is
// more than 15, or if a result is on the heap (buildssa in cmd/compile/internal/ssagen/ssa.go).
// Markers can cause that: a scope has its own deferred call; and with -form guarded go does not
// inline numbers, so that the loop body, and the result that it sets, are on the heap.
// TestMovedReturns shows the effect without markers.

// reportDefers makes the compiler report how it compiles each defer statement.
const reportDefers = "-gcflags=-d=defer=1"

// A deferKind is how the compiler compiles a defer statement: open-coded, stack-allocated or
// heap-allocated.
type deferKind struct {
	line int
	kind string
}

var deferReport = regexp.MustCompile(`(?m)main\.go:(\d+):\d+: (\S+) defer$`)

// deferKinds returns what the compiler reports about the program's main.go.
func deferKinds(stderr []byte) map[deferKind]bool {
	kinds := map[deferKind]bool{}
	for _, m := range deferReport.FindAllSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(string(m[1]))
		kinds[deferKind{line, string(m[2])}] = true
	}
	return kinds
}

// movedReturns returns the lines of returns in functions whose deferred calls are open-coded in the
// plain program but not in the marked one, mapped to the function's last line, which the marked
// program shows instead.
func movedReturns(t *testing.T, src string, plain, marked map[deferKind]bool) map[int]int {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, src, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	line := func(pos token.Pos) int { return files.Position(pos).Line }
	moved := map[int]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			return true
		}
		var returns []int
		changed := false
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.DeferStmt:
				at := line(n.Pos())
				changed = changed || plain[deferKind{at, "open-coded"}] && (marked[deferKind{at, "stack-allocated"}] || marked[deferKind{at, "heap-allocated"}])
			case *ast.ReturnStmt:
				returns = append(returns, line(n.Pos()))
			case *ast.RangeStmt: // a return out of a loop over a function is compiled as one after the loop
				returns = append(returns, line(n.Body.Rbrace))
			}
			return true
		})
		if changed {
			for _, at := range returns {
				moved[at] = line(body.Rbrace)
			}
		}
		return true
	})
	return moved
}

var mainLine = regexp.MustCompile(`\bmain\.go:\d+`)

// move returns the traces with the lines of moved returns replaced.
func move(traces []string, moved map[int]int) (list []string) {
	for _, trace := range traces {
		list = append(list, mainLine.ReplaceAllStringFunc(trace, func(at string) string {
			line, _ := strconv.Atoi(strings.TrimPrefix(at, "main.go:"))
			if to, ok := moved[line]; ok {
				return fmt.Sprintf("main.go:%d", to)
			}
			return at
		}))
	}
	slices.Sort(list)
	return list
}

// TestMovedReturns shows that go itself moves the lines, in a program without markers.
func TestMovedReturns(t *testing.T) {
	const source = `package main

import (
	"fmt"
	"runtime"
)

func line() {
	_, _, n, _ := runtime.Caller(1)
	fmt.Printf("main.go:%d ", n)
}

//directive
func numbers() func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i) {
				return
			}
		}
	}
}

func first(n int) int {
	defer line()
	for i := range numbers() {
		if i == n {
			return i
		}
	}
	return -1
}

func main() {
	first(1)
	first(5)
}
`
	p := program{t: t, dir: t.TempDir()}
	main := filepath.Join(p.dir, "main.go")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(p.dir, "go.mod"), "module moved\n\ngo 1.26\n")
	build := func(directive string) (kinds map[deferKind]bool, lines string) {
		write(main, strings.Replace(source, "//directive", directive, 1))
		kinds = p.build("go", "build", "-o", "moved")
		return kinds, string(must(t, p.dir, nil, "./moved"))
	}
	plain, plainLines := build("//")
	noinline, noinlineLines := build("//go:noinline")
	if plainLines != "main.go:30 main.go:31 " || noinlineLines != "main.go:32 main.go:32 " {
		t.Errorf("deferred calls run at %q and, not inlined, at %q; want lines 30 and 31, and 32 twice", plainLines, noinlineLines)
	}
	if got := movedReturns(t, main, plain, plain); len(got) > 0 {
		t.Errorf("where nothing changes these lines move: %v", got)
	}
	if got := move([]string{plainLines}, movedReturns(t, main, plain, noinline)); got[0] != noinlineLines {
		t.Errorf("lines %q moved are %q, want %q", plainLines, got[0], noinlineLines)
	}
}
