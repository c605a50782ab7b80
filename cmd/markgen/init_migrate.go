package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	rt "github.com/markgen/markgen/runtime"
)

// Before the runtime was a separate module, marked source imported package runtime of this module,
// which was required and, from a checkout, replaced. Init migrates such a module.

// oldImports are the imports of this module's packages in a module's Go files.
type oldImports struct {
	runtime map[string][]byte // new content of the files that import the runtime by its old path
	others  bool              // other packages are imported, too
}

// findOld examines the Go files of the module in root.
func findOld(root string) (old oldImports, err error) {
	old.runtime = map[string][]byte{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != root && (entry.Name() == "vendor" || strings.HasPrefix(entry.Name(), ".") || isModule(path)) {
				return filepath.SkipDir
			}
			return nil
		case filepath.Ext(path) != ".go" || !entry.Type().IsRegular():
			return nil
		}
		text, err := fileread.File(path)
		if err != nil || !bytes.Contains(text, []byte(`"`+ownModule)) {
			return err
		}
		next, others := migrated(text)
		if !bytes.Equal(next, text) {
			old.runtime[path] = next
		}
		old.others = old.others || others
		return nil
	})
	return old, err
}

// isModule reports whether dir is the root of a separate module.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// drop removes the require and the replace of this module from go.mod, unless one of its packages
// or commands is used, and returns messages about it.
func (old *oldImports) drop(file *modfile.File) (said []string, err error) {
	isTool := func(t *modfile.Tool) bool { return t.Path == ownModule || strings.HasPrefix(t.Path, ownModule+"/") }
	direct := func(r *modfile.Require) bool { return r.Mod.Path == ownModule && !r.Indirect }
	if !slices.ContainsFunc(file.Require, direct) || old.others || slices.ContainsFunc(file.Tool, isTool) || len(old.runtime) == 0 && replacement(file, ownModule) == "" {
		return nil, nil
	}
	if err := file.DropRequire(ownModule); err != nil {
		return nil, err
	}
	for _, r := range slices.Clone(file.Replace) {
		if r.Old.Path == ownModule {
			if err := file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	return []string{"no require of " + ownModule + " any more"}, nil
}

// write writes the files with the new import path of the runtime.
func (old *oldImports) write(env *cli.Env, root string) error {
	for path, text := range old.runtime {
		if err := cli.WriteFile(path, text); err != nil {
			return err
		}
	}
	if n := len(old.runtime); n > 0 {
		fmt.Fprintf(env.Stdout, "%s: %d of its files imported %s, and import %s now\n", env.Shown(root), n, rt.Module, rt.Perf)
	}
	return nil
}

// migrated returns a Go file with the new import path of the runtime, and whether it imports other
// packages of this module. A file that does not parse is unchanged.
func migrated(text []byte) (next []byte, others bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return text, false
	}
	for _, spec := range slices.Backward(file.Imports) {
		if spec.Path.Value != strconv.Quote(rt.Module) {
			others = others || strings.HasPrefix(spec.Path.Value, `"`+ownModule+"/") && !strings.HasPrefix(spec.Path.Value, `"`+rt.Module+"/")
			continue
		}
		now := strconv.Quote(rt.Perf)
		if spec.Name == nil {
			now = "runtime " + now // keep the old package name
		}
		at := fset.Position(spec.Path.Pos()).Offset
		text = slices.Concat(text[:at], []byte(now), text[at+len(spec.Path.Value):])
	}
	return text, others
}
