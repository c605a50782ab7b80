package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/modfile"
	modversion "golang.org/x/mod/module"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/report"
)

// sourceReader returns a function that returns the source of markers: from the module in dir, or if
// that is "", from the one that contains the working directory; from the standard library; and from
// the modules that a build there uses. If dir is "none", it returns nil.
//
// The file names come from data files, which may be from untrusted sources: only Go files below
// these directories are read.
func sourceReader(env *cli.Env, dir string) (func(pkg, file string, std bool) (report.Source, error), error) {
	if dir == "none" {
		return nil, nil
	}
	if dir == "" {
		dir, _ = moduleRoot(env.Dir) // "" if there is none
	} else {
		dir = env.Path(dir)
		if !env.IsFolder(dir) {
			return nil, fmt.Errorf("-src %s is no folder; give the root of the module that was marked, or none", relative(env, errors.New(dir)))
		}
	}
	goEnv := sync.OnceValue(func() goFolders { return askGo(env) })
	modules := newModuleFolders(env, dir)
	return func(pkg, file string, std bool) (report.Source, error) {
		name := filepath.FromSlash(file)
		switch {
		case !strings.HasSuffix(name, ".go"):
			return report.Source{}, errors.New("not shown: it is no Go file")
		case std:
			source, err := readBelow(goEnv().std(), name)
			if errors.Is(err, fs.ErrNotExist) {
				return source, errors.New("not found in the standard library of the go command here")
			}
			source.Go = goEnv().GOVERSION
			return source, err
		case !filepath.IsAbs(name):
			root := modules.of(pkg, file)
			if root == "" {
				return report.Source{}, errors.New("not shown: it is of a module that the go command does not have here; -src DIR gives the root of the module that was marked")
			}
			return readModule(root, name)
		}
		if below, ok := within(dir, name); ok {
			return readModule(dir, below)
		}
		if below, ok := within(goEnv().GOMODCACHE, name); ok {
			source, err := readBelow(goEnv().GOMODCACHE, below)
			source.Changed = time.Time{} // it never changes: the version is in the name
			return source, err
		}
		return report.Source{}, errors.New("not shown: it is outside of the module; -src DIR gives a folder that it is in")
	}, nil
}

// moduleFolders finds the directories of modules.
type moduleFolders struct {
	env *cli.Env
	dir string // directory in which go runs; "" if in no module

	mu    sync.Mutex
	roots map[string]string // by module path; "" if not found
}

// noModule is the module path for files given by name, outside any module.
const noModule = "command-line-arguments"

func newModuleFolders(env *cli.Env, dir string) *moduleFolders {
	m := &moduleFolders{env: env, dir: dir, roots: map[string]string{}}
	if dir != "" {
		text, _ := fileread.File(filepath.Join(dir, "go.mod"))
		m.roots[cmp.Or(modfile.ModulePath(text), noModule)] = dir
	}
	return m
}

// importPath returns the import path of the package in whose directory a file of pkg is.
func importPath(pkg, file string) string {
	if strings.HasSuffix(file, "_test.go") {
		return strings.TrimSuffix(pkg, "_test")
	}
	return pkg
}

// moduleOf returns the path of a package's module, or "" if the arguments are inconsistent. file is
// a file of the package, relative to the module's root.
func moduleOf(pkg, file string) string {
	below := ""
	if folder := path.Dir(file); folder != "." {
		below = "/" + folder
	}
	module, ok := strings.CutSuffix(importPath(pkg, file), below)
	if !ok {
		return ""
	}
	return module
}

// of returns the root directory of a package's module, or "" if it is not found. file is a file of
// the package, relative to that root: so the module path is the package path without the file's
// directory.
func (m *moduleFolders) of(pkg, file string) string {
	pkg = importPath(pkg, file)
	module := moduleOf(pkg, file)
	if module == "" {
		return ""
	}
	below := strings.TrimPrefix(pkg, module)
	m.mu.Lock()
	defer m.mu.Unlock()
	root, known := m.roots[module]
	if !known {
		root = m.ask(module, pkg, below)
		m.roots[module] = root
	}
	return root
}

// ask asks the go command for the root directory of a module, by a package in it, without
// downloading modules.
func (m *moduleFolders) ask(module, pkg, below string) string {
	if modversion.CheckImportPath(pkg) != nil || strings.Contains(pkg, "...") {
		return "" // the name is from a data file
	}
	packages, err := overlay.List(context.Background(), overlay.ListOptions{
		Dir: cmp.Or(m.dir, m.env.Dir), Environ: append(slices.Clone(m.env.Environ), "GOPROXY=off"), Patterns: []string{pkg},
	})
	if err != nil {
		return ""
	}
	for _, p := range packages {
		if root, ok := strings.CutSuffix(filepath.ToSlash(p.Dir), below); ok && p.ImportPath == pkg && p.Module != nil && p.Module.Path == module {
			return filepath.FromSlash(root)
		}
	}
	return ""
}

// within returns the name of a file relative to folder; ok is false if it is not below it.
func within(folder, name string) (below string, ok bool) {
	below, err := filepath.Rel(folder, name)
	return below, folder != "" && err == nil && filepath.IsLocal(below)
}

// readModule is readBelow for the root of a module.
func readModule(root, name string) (report.Source, error) {
	source, err := readBelow(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("not found; -src DIR gives the root of the module that was marked")
	}
	return source, err
}

// readBelow reads a file below folder, without following links to elsewhere. If folder is "", there
// is no file.
func readBelow(folder, name string) (report.Source, error) {
	if folder == "" {
		return report.Source{}, fs.ErrNotExist
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return report.Source{}, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return report.Source{}, err
	}
	if !info.Mode().IsRegular() {
		return report.Source{}, errors.New("not shown: it is no file")
	}
	text, err := root.ReadFile(name)
	return report.Source{Text: string(text), Path: filepath.Join(folder, name), Changed: info.ModTime()}, err
}

// goFolders are the directories of Go's source; "" if unknown.
type goFolders struct{ GOROOT, GOMODCACHE, GOVERSION string }

// std returns the directory of the standard library, or "" if unknown.
func (g goFolders) std() string {
	if g.GOROOT == "" {
		return ""
	}
	return filepath.Join(g.GOROOT, "src")
}

// askGo gets the directories from the go command; without it, a report shows only the module's own
// source.
func askGo(env *cli.Env) (g goFolders) {
	cmd := exec.Command("go", "env", "-json", "GOROOT", "GOMODCACHE", "GOVERSION")
	cmd.Dir, cmd.Env = env.Dir, env.Environ
	out, err := cmd.Output()
	if err != nil || json.NewDecoder(bytes.NewReader(out)).Decode(&g) != nil {
		return goFolders{}
	}
	return g
}
