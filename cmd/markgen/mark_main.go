package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/overlay"
	rt "github.com/markgen/markgen/runtime"
)

// The runtime sees the end of a program only through a call in func main; in a module there is no
// other way. So marking a package main adds the call even if all markers are in packages that it
// imports. A package main that is not being marked is left alone, and the user is told.

// programs determines which packages of the module have markers after marking, or import packages
// that do.
type programs struct {
	*marking
	known map[string]bool // by directory
}

// inModule returns the directory of a package of the module.
func (m *marking) inModule(importPath string) (dir string, ok bool) {
	rel, ok := strings.CutPrefix(importPath+"/", m.Path+"/")
	return filepath.Join(m.Root, filepath.FromSlash(rel)), ok && !rt.IsPart(importPath)
}

// marked reports whether the package in a directory has markers outside its tests, or imports one
// that does, on any platform.
func (p *programs) marked(dir string) bool {
	marked, ok := p.known[dir]
	if ok {
		return marked
	}
	p.known[dir] = false
	texts := map[string][]byte{}
	if i := slices.IndexFunc(p.groups, func(g *markedPackage) bool { return g.Dir == dir }); i >= 0 {
		g := p.groups[i]
		marked = slices.ContainsFunc(g.units, func(u *markedUnit) bool { return u.suffix == "" && len(u.Points) > 0 })
		texts = g.plain
	} else {
		tables, _ := tablesIn(dir)
		for name := range tables {
			marked = marked || !strings.HasSuffix(name, "_test.go")
		}
		names, _ := filepath.Glob(filepath.Join(quoteGlob(dir), "*.go"))
		for _, name := range names {
			texts[name], _ = fileread.File(name) // files that cannot be read import nothing
		}
	}
	for name, text := range texts {
		if marked {
			break
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if f == nil {
			continue
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if at, ok := p.inModule(path); ok && p.marked(at) {
				marked = true
			}
		}
	}
	p.known[dir] = marked
	return marked
}

// unseen returns messages about the module's programs that are not being marked, import packages
// with markers, and have no call in func main.
func (p *programs) unseen(ctx context.Context) (messages []string, err error) {
	if !slices.ContainsFunc(p.groups, func(g *markedPackage) bool { return g.Name != "main" && p.marked(g.Dir) }) {
		return nil, nil
	}
	packages, err := overlay.List(ctx, overlay.ListOptions{Dir: p.Root, Environ: p.env.Environ, Patterns: []string{"./..."}})
	if err != nil {
		return nil, err
	}
	for _, pkg := range packages {
		if pkg.Name != "main" || slices.ContainsFunc(p.groups, func(g *markedPackage) bool { return g.Dir == pkg.Dir }) || hasTable(pkg.Dir) || !p.marked(pkg.Dir) {
			continue
		}
		for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
			path := filepath.Join(pkg.Dir, name)
			fset := token.NewFileSet()
			text, err := fileread.File(path)
			if err != nil {
				return nil, err
			}
			f, err := parser.ParseFile(fset, p.env.Shown(path), text, parser.SkipObjectResolution)
			if err != nil {
				continue // the go command reports the error
			}
			if fn := funcMain(f); fn != nil && !defersFinish(fn) {
				rel, _ := filepath.Rel(p.env.Dir, pkg.Dir)
				messages = append(messages, fmt.Sprintf("%s: the end of this program is not seen: it prints no report, and its data do not say that it ended; run markgen ./%s, which adds a call to func main",
					fset.Position(fn.Name.Pos()), filepath.ToSlash(rel)))
			}
		}
	}
	return messages, nil
}

// exits are calls that end a program without running deferred calls.
var exits = map[string]bool{"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true}

// unseenExit returns a message if func main ends with such a call, and therefore always, without a
// preceding call that the runtime sees.
func unseenExit(name string, text []byte) (message string, ok bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	fn := funcMain(f)
	if fn == nil || len(fn.Body.List) == 0 {
		return "", false
	}
	last := len(fn.Body.List) - 1
	exit := callee(fn.Body.List[last])
	if !exits[exit] || last > 0 && strings.HasSuffix(callee(fn.Body.List[last-1]), ".Finish") {
		return "", false
	}
	return fmt.Sprintf("%s: %s ends the program unseen: it prints no report, and its data do not say that it ended; call perf.Finish() before",
		fset.Position(fn.Body.List[last].Pos()), exit), true
}

// defersFinish reports whether a function defers a call of Finish, as the user may have written.
func defersFinish(fn *ast.FuncDecl) (defers bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok && strings.HasSuffix(called(d.Call), ".Finish") {
			defers = true
		}
		return !defers
	})
	return defers
}

// callee returns the function called by a call statement, or "".
func callee(st ast.Stmt) string {
	if x, ok := st.(*ast.ExprStmt); ok {
		return called(x.X)
	}
	return ""
}

// called returns the function called by a call expression, as pkg.Func, or "".
func called(x ast.Expr) string {
	if call, ok := x.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := sel.X.(*ast.Ident); ok {
				return of.Name + "." + sel.Sel.Name
			}
		}
	}
	return ""
}

// funcMain returns the main function of a file, or nil.
func funcMain(f *ast.File) *ast.FuncDecl {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" && fn.Body != nil {
			return fn
		}
	}
	return nil
}
