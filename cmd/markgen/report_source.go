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

// sourceReader returns what gives reports the source of markers: from the module in dir, or
// if that is "" from the one that the working directory is in; from the standard library,
// and from the other modules that a build there is made of. dir "none" is no source: nil.
//
// The names come from data files, which may come from elsewhere: they lead to
// Go files below these folders alone.
func sourceReader(env *cli.Env, dir string) (func(pkg, file string, std bool) (report.Source, error), error) {
	if dir == "none" {
		return nil, nil
	}
	if dir == "" {
		dir, _ = moduleRoot(env.Dir) // "" when there is none
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
			source.Changed = time.Time{} // never: the version is in the name
			return source, err
		}
		return report.Source{}, errors.New("not shown: it is outside of the module; -src DIR gives a folder that it is in")
	}, nil
}

// moduleFolders knows where modules are.
type moduleFolders struct {
	env *cli.Env
	dir string // of the module that go runs in; "": in none

	mu    sync.Mutex
	roots map[string]string // by the module's path; "": not here
}

// noModule stands for the module of files that were given by name, outside of any.
const noModule = "command-line-arguments"

func newModuleFolders(env *cli.Env, dir string) *moduleFolders {
	m := &moduleFolders{env: env, dir: dir, roots: map[string]string{}}
	if dir != "" {
		text, _ := fileread.File(filepath.Join(dir, "go.mod"))
		m.roots[cmp.Or(modfile.ModulePath(text), noModule)] = dir
	}
	return m
}

// importPath is the path of the package whose folder a file of pkg is in.
func importPath(pkg, file string) string {
	if strings.HasSuffix(file, "_test.go") {
		return strings.TrimSuffix(pkg, "_test")
	}
	return pkg
}

// moduleOf is the path of the module that a package is of, "" if that can't be. file is one of the
// package's, relative to the module's root.
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

// of is the root of the module that a package is of, "" if it is not here. file is one of the
// package's, relative to that root: so the path of the module is what the package's has before the
// folder of the file.
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

// ask asks the go command for the root of a module by a package that is below it. It is not to download any.
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

// within returns the name below folder of a file there.
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

// readBelow reads a file that is below folder, and leads nowhere else. Below "" there is none.
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

// goFolders is where go has source. What it does not say is "".
type goFolders struct{ GOROOT, GOMODCACHE, GOVERSION string }

// std is the folder of the standard library, "" if it is not known.
func (g goFolders) std() string {
	if g.GOROOT == "" {
		return ""
	}
	return filepath.Join(g.GOROOT, "src")
}

// askGo asks the go command; a report without it shows the module's own source.
func askGo(env *cli.Env) (g goFolders) {
	cmd := exec.Command("go", "env", "-json", "GOROOT", "GOMODCACHE", "GOVERSION")
	cmd.Dir, cmd.Env = env.Dir, env.Environ
	out, err := cmd.Output()
	if err != nil || json.NewDecoder(bytes.NewReader(out)).Decode(&g) != nil {
		return goFolders{}
	}
	return g
}
