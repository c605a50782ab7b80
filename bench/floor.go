package main

import (
	"context"
	"encoding/json"
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
)

// layouts are seeds of the linker flag -randlayout, which shuffles the order of functions. The
// placement of functions matters as much as markers do, so all sides are measured in each layout.
var layouts = []int{1, 2, 3}

// floor measures the minimum cost of markers that are off. It runs the benchmarks of standard
// packages with only a test of a variable at the top of each function that the compiler does not
// inline, which every form of marker has; and, for comparison, with real markers. Both are relative
// to plain code in the same layouts.
func (b *bench) floor(ctx context.Context) error {
	var all []timing
	for _, pkg := range standardPackages {
		dir, err := standardDir(ctx, pkg)
		if err != nil {
			return err
		}
		overlay, tests, err := b.testedAtTop(ctx, dir, pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		var some []timing
		for _, layout := range layouts {
			sides, err := b.layoutSides(ctx, dir, pkg, overlay, layout)
			if err != nil {
				return err
			}
			one, err := b.timings(ctx, fmt.Sprintf("floor/layout-%d", layout), pkg, ".", sides)
			if err != nil {
				return fmt.Errorf("%s: %w", pkg, err)
			}
			b.record(fmt.Sprintf("%s, layout %d", pkg, layout), bar{}, geoMean(one, 1, 0), fmt.Sprintf("marked %.3g", geoMean(one, 2, 0)))
			some = append(some, one...)
		}
		b.record(pkg, bar{}, geoMean(some, 1, 0), fmt.Sprintf("marked %.3g; %d tests, geometric mean of %d benchmarks in %d layouts",
			geoMean(some, 2, 0), tests, len(some)/len(layouts), len(layouts)))
		all = append(all, some...)
	}
	b.record("all of these packages, a test at the top alone", bar{}, geoMean(all, 1, 0), "against plain in the same layouts")
	b.record("the same, marked", bar{}, geoMean(all, 2, 0), "against plain in the same layouts")
	return nil
}

// layoutSides builds three sides in one layout: plain, with an overlay that adds a test at the top
// of functions, and marked.
func (b *bench) layoutSides(ctx context.Context, dir, pkg, overlay string, layout int) (sides []testBinary, err error) {
	flag := "-ldflags=-randlayout=" + strconv.Itoa(layout)
	for _, x := range []struct {
		side string
		with builder
	}{
		{"plain", plainTest(flag)},
		{"tested", plainTest(flag, "-overlay", overlay)},
		{"marked", b.markedTest("-all", "-markpkg", pkg, flag)},
	} {
		t, err := b.compile(ctx, dir, pkg, fmt.Sprintf("%s-%d", x.side, layout), x.with)
		if err != nil {
			return nil, err
		}
		sides = append(sides, t.as(x.side, 1))
	}
	return sides, nil
}

// testedAtTop writes an overlay of a package in which each function that is not inlined begins with
// a test of a variable that guards a call. It returns the path of the overlay and the number of
// tests.
func (b *bench) testedAtTop(ctx context.Context, dir, pkg string) (overlay string, tests int, err error) {
	inlined, err := inlinable(ctx, dir, pkg)
	if err != nil {
		return "", 0, err
	}
	listed, err := output(ctx, dir, nil, "go", "list", "-f", `{{.Name}}{{range .GoFiles}} {{.}}{{end}}`, pkg)
	if err != nil {
		return "", 0, err
	}
	words := strings.Fields(string(listed))
	work := filepath.Join(b.work, "floor", filepath.FromSlash(pkg))
	if err := os.MkdirAll(work, 0o777); err != nil {
		return "", 0, err
	}
	replace := map[string]string{}
	put := func(name string, text []byte) error {
		replace[filepath.Join(dir, name)] = filepath.Join(work, name)
		return os.WriteFile(filepath.Join(work, name), text, 0o666)
	}
	for _, name := range words[1:] {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", 0, err
		}
		tested, n, err := testAtTop(name, text, inlined)
		if err != nil {
			return "", 0, err
		}
		if tests += n; n == 0 {
			continue
		}
		if err := put(name, tested); err != nil {
			return "", 0, err
		}
	}
	test := "package " + words[0] + "\n\nvar floorOn uint32\n\n//go:noinline\nfunc floorCalled() {}\n"
	if err := put("floor_test_at_top.go", []byte(test)); err != nil {
		return "", 0, err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", 0, err
	}
	overlay = filepath.Join(work, "overlay.json")
	return overlay, tests, os.WriteFile(overlay, text, 0o666)
}

// testAtTop inserts a test into the functions of a file, except inlined and nosplit ones.
func testAtTop(name string, text []byte, inlined map[string]bool) (tested []byte, tests int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, 0, err
	}
	at := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || inlined[place(name, fset.Position(fn.Name.Pos()).Line)] || isNoSplit(fn) {
			continue
		}
		brace := fset.Position(fn.Body.Lbrace).Offset + 1
		tested = append(append(tested, text[at:brace]...), " if floorOn != 0 { floorCalled() };"...)
		at = brace
		tests++
	}
	return append(tested, text[at:]...), tests, nil
}

func isNoSplit(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:nosplit" })
}

var canInline = regexp.MustCompile(`(?m)^(?:.*[/\\])?([^/\\:]+\.go):(\d+):\d+: can inline `)

// inlinable returns the places of a package's functions that the compiler can inline.
func inlinable(ctx context.Context, dir, pkg string) (map[string]bool, error) {
	told, err := combined(ctx, dir, "go", "build", "-gcflags="+pkg+"=-m", pkg)
	if err != nil {
		return nil, err
	}
	places := map[string]bool{}
	for _, m := range canInline.FindAllStringSubmatch(string(told), -1) {
		line, _ := strconv.Atoi(m[2])
		places[place(m[1], line)] = true
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("the compiler says of no function of %s that it can be inlined", pkg)
	}
	return places, nil
}

func place(name string, line int) string { return name + ":" + strconv.Itoa(line) }
