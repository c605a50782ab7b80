package overlay

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/markgen/markgen/rewrite"
	rt "github.com/markgen/markgen/runtime"
)

// hook is a file of the virtual runtime. In main packages whose counters are declared to the
// compiler, the initialiser calls the function that would start go's own coverage (addInitHookCall
// in cmd/compile/internal/coverage/cover.go). This one is called instead, and does nothing.
const hook = `package perf

import _ "unsafe"

//go:linkname initHook runtime/coverage.initHook
func initHook(istest bool) {}
`

// last is a file of the virtual runtime, in builds where package main of each program announces
// that all tables are registered, see Last there.
const (
	lastFile = rt.VirtualPerf + "/last.go"
	last     = "package perf\n\nfunc init() { tablesAnnounced = true }\n"
)

// announceTables reports whether package main of each program in the build announces that all tables are
// registered. It does if it is marked. If it is not marked, but is the only program of the build,
// the announcement is added to it, and so to the replacements marked, unless these are empty: a
// program without markers needs no runtime.
func (b *Build) announceTables(marked, user replacements) (bool, error) {
	if b.plain.Verb == "test" {
		return false, nil
	}
	announced := false
	for _, p := range b.named() {
		if p.Name != "main" {
			continue
		}
		announced = slices.ContainsFunc(p.GoFiles, func(name string) bool { return marked[filepath.Join(p.Dir, name)] != "" })
		if !announced && len(b.named()) == 1 {
			var err error
			if announced, err = b.addAnnouncement(p, marked, user); err != nil {
				return false, err
			}
		}
		if !announced {
			return false, nil
		}
	}
	return announced, nil
}

// addAnnouncement makes package main announce that all tables are registered, if possible, and reports
// whether it is.
func (b *Build) addAnnouncement(p *Package, marked, user replacements) (bool, error) {
	if len(p.GoFiles) == 0 || within(b.env.GOMODCACHE, p.Dir) {
		return false, nil
	}
	var first []byte
	for i, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		text, err := user.read(filepath.Join(p.Dir, name))
		if err != nil || bytes.Contains(text, []byte(rewrite.LastName)) {
			return false, nil // the compiler reports the error
		}
		if i == 0 {
			first = text
		}
	}
	text, err := rewrite.TellLast(first, rt.VirtualPerf)
	if err != nil {
		return false, nil // as above
	}
	if len(marked) == 0 {
		return true, nil
	}
	to, err := b.cache.text(text, ".go")
	if err != nil {
		return false, err
	}
	marked[filepath.Join(p.Dir, p.GoFiles[0])] = to
	return true, nil
}

// addRuntime adds the virtual runtime to an overlay. compilerConfig is the result of the method of
// that name. tablesAnnounced says that all programs announce when all tables are registered.
//
// Go does not know compilerConfig, and might use a package from its cache that was compiled with
// another. So it is put in a comment of the runtime, which all marked packages import: with
// another one they have another key in go's cache.
func (b *Build) addRuntime(r replacements, compilerConfig []byte, tablesAnnounced bool) error {
	files, err := rt.VirtualFiles(b.o.Deep)
	if err != nil {
		return err
	}
	if compilerConfig != nil {
		files[rt.VirtualPerf+"/compilerconfig.go"] = fmt.Appendf(nil, "package perf\n\n// What the compiler knows of markers: %s\n", compilerConfig)
	}
	if tablesAnnounced {
		files[lastFile] = []byte(last)
	}
	if b.hooks() {
		files[rt.VirtualPerf+"/hook.go"] = []byte(hook)
	}
	for name, text := range files {
		to, err := b.cache.text(text, filepath.Ext(name))
		if err != nil {
			return err
		}
		r[b.inGoroot(name)] = to
	}
	return nil
}

// inGoroot returns the path at which go looks for a file of the standard library.
func (b *Build) inGoroot(name string) string {
	return filepath.Join(b.env.GOROOT, "src", filepath.FromSlash(name))
}

// belowRuntime returns the packages of the standard library that the virtual package imports,
// directly or not. They cannot be marked, since they would have to import the runtime, and Go has
// no import cycles.
func belowRuntime(ctx context.Context, o ListOptions) (map[string]bool, error) {
	files, err := rt.VirtualFiles(false)
	if err != nil {
		return nil, err
	}
	imports := []string{"runtime"} // imported implicitly by every package
	for name, text := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", rt.VirtualPerf, err)
		}
		for _, spec := range f.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && !rt.IsPart(p) && !slices.Contains(imports, p) {
				imports = append(imports, p)
			}
		}
	}
	slices.Sort(imports)
	o.Patterns, o.Deps, o.Tests = imports, true, false
	pkgs, err := List(ctx, o)
	if err != nil {
		return nil, err
	}
	low := map[string]bool{}
	for _, p := range pkgs {
		low[p.ImportPath] = true
	}
	return low, nil
}
