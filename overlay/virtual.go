package overlay

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/markgen/markgen"
)

// hook is a file of the virtual runtime. In main packages that the compiler is told of markers in it has the
// package's initialiser call what would begin go's own coverage (addInitHookCall in
// cmd/compile/internal/coverage/cover.go). There is none, so it is this that is called.
const hook = `package runtime

import _ "unsafe"

//go:linkname initHook runtime/coverage.initHook
func initHook(istest bool) {}
`

// addRuntime puts the virtual runtime into an overlay. told is what the compiler is
// told of the markers beyond what go tells it, nil for nothing.
//
// go knows nothing of it, and may find what another build compiled in its cache. So told
// stands in a comment of the runtime, which all that is marked imports: what is compiled
// with it and without have not one name.
func (b *Build) addRuntime(r replacements, told []byte) error {
	files, err := markgen.VirtualFiles(b.o.Deep)
	if err != nil {
		return err
	}
	if told != nil {
		files[markgen.VirtualRuntime+"/told.go"] = fmt.Appendf(nil, "package runtime\n\n// The compiler is told: %s\n", told)
	}
	if b.hooks() {
		files[markgen.VirtualRuntime+"/hook.go"] = []byte(hook)
	}
	for name, text := range files {
		to, err := b.cache.text(text, filepath.Ext(name))
		if err != nil {
			return err
		}
		r[filepath.Join(b.env.GOROOT, "src", filepath.FromSlash(name))] = to
	}
	return nil
}

// belowRuntime returns the packages of the standard library that the virtual
// package imports, directly or not: marked, they would have to import it, and
// Go has no import cycles.
func belowRuntime(ctx context.Context, o ListOptions) (map[string]bool, error) {
	files, err := markgen.VirtualFiles(false)
	if err != nil {
		return nil, err
	}
	imports := []string{"runtime"} // each package imports it, if it says so or not
	for name, text := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", markgen.VirtualRuntime, err)
		}
		for _, spec := range f.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && !slices.Contains(imports, p) {
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
