package main

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/config"
	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/gc"
	"github.com/markgen/markgen/rewrite/inplace"
	rt "github.com/markgen/markgen/runtime"
)

// loadOptions select the packages that loadModules reads and the markers it finds.
type loadOptions struct {
	Form     string   // of rewrite.Options
	Patterns []string // package patterns of the command line; if empty, the package in the current directory
	All      bool     // every function, loop and branch
	Config   string   // name of the configuration file; if "", .markgen.yaml at the module root, if it exists
	Foreign  bool     // accept dependencies and the standard library
	Leave    leaveFlags
}

// A module has the markers of its loaded packages. A workspace has several main modules.
type module struct {
	Root     string // directory; "" for the standard library and packages outside modules
	Path     string // module path
	Base     string // directory to which file names are relative: Root, or GOROOT/src; "" if none
	Packages []*overlay.Package
	Units    []*unit // of all packages, in go list's order
	Before   *registry.Registry
	After    *registry.Registry // the registry after: see assign
	patterns []string
	partial  bool // files of a package were named, not the package
}

// A unit is a group of files that are compiled together, with its points and their IDs.
type unit struct {
	*rewrite.Unit
	Package *overlay.Package
	Suffix  string // "" for the package, "t" for its tests, "x" for the external tests
	ignored bool   // a single file excluded by build constraints
}

// loadModules reads the packages, finds their points and assigns IDs. It writes nothing. Errors are
// in the user's source, registry or configuration, or are of the go command.
func loadModules(ctx context.Context, env *cli.Env, o loadOptions) ([]*module, error) {
	modules, err := listModules(ctx, env, o)
	if err != nil {
		return nil, err
	}
	goVersion := askGo(env).GOVERSION
	for _, m := range modules {
		err = errors.Join(err, m.load(env, o, gc.Of(goVersion)))
	}
	return modules, newerSyntax(err, goVersion)
}

// newerSyntax adds a hint to syntax errors if the toolchain in use may know newer syntax.
func newerSyntax(err error, goVersion string) error {
	if syntax := (*scanner.Error)(nil); errors.As(err, &syntax) {
		return errors.Join(err, gc.NewerSyntax(goVersion))
	}
	return err
}

// listModules lists the packages and groups them by module.
func listModules(ctx context.Context, env *cli.Env, o loadOptions) ([]*module, error) {
	packages, err := overlay.List(ctx, overlay.ListOptions{Dir: env.Dir, Environ: env.Environ, Patterns: o.Patterns})
	if err != nil {
		return nil, err
	}
	var modules []*module
	for _, p := range packages {
		if rt.IsPart(p.ImportPath) {
			continue
		}
		if len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 && len(p.IgnoredGoFiles) > 0 {
			p.Error = nil // no files for this platform; the markers stay in the registry
		}
		if p.Error != nil {
			err = errors.Join(err, p.Error)
			continue
		}
		if !o.Foreign && (p.Goroot || p.Module != nil && !p.Module.Main) {
			err = errors.Join(err, fmt.Errorf("package %s is not part of this module; name packages of the module", p.ImportPath))
			continue
		}
		m := module{patterns: o.Patterns}
		switch {
		case p.ImportPath == fileArguments:
			m.partial = true
			if root, err := moduleRoot(p.Dir); err == nil {
				m.Root, m.Path, m.Base = root, modulePath(root), root
				rel, _ := filepath.Rel(root, p.Dir)
				p.ImportPath = path.Join(m.Path, filepath.ToSlash(rel))
			}
		case p.Module != nil:
			m.Root, m.Path, m.Base = p.Module.Dir, p.Module.Path, p.Module.Dir
		case p.Goroot:
			m.Base = filepath.Join(p.Root, "src")
		}
		i := slices.IndexFunc(modules, func(have *module) bool { return have.Root == m.Root && have.Base == m.Base })
		if i < 0 {
			i = len(modules)
			modules = append(modules, &m)
		}
		modules[i].Packages = append(modules[i].Packages, p)
	}
	return modules, err
}

// load finds the points of m's packages.
func (m *module) load(env *cli.Env, o loadOptions, release gc.Release) error {
	var err error
	if m.Before, err = readRegistry(env, m.Root, m.Path); err != nil {
		return err
	}
	c, err := readConfig(env, m.Root, o.Config)
	if err != nil {
		return err
	}
	options := rewrite.Options{All: o.All, Generated: true, Form: o.Form, Inline: overlay.Inlinable(env.Environ), InlineMain: true, Release: release, Keep: c.Keep, Adjust: c.Adjust, Min: o.Leave.min}
	if o.Leave.budget != nil {
		options.Leave = o.Leave.budget.leave
	}
	for _, p := range m.Packages {
		err = errors.Join(err, m.loadPackage(env, p, options))
	}
	if err != nil {
		return err
	}
	m.assign(env)
	return nil
}

// loadPackage finds the points of a package: in files compiled here by unit, in other files one by
// one.
func (m *module) loadPackage(env *cli.Env, p *overlay.Package, options rewrite.Options) error {
	var errs error
	units := map[string][]*unit{} // by suffix
	add := func(suffix string, names ...string) {
		u, err := loadUnit(env, p, names)
		errs = errors.Join(errs, err)
		if u != nil {
			units[suffix] = append(units[suffix], &unit{Unit: u, Package: p, Suffix: suffix})
		}
	}
	add("", append(slices.Clip(p.GoFiles), p.CgoFiles...)...)
	add("t", p.TestGoFiles...)
	add("x", p.XTestGoFiles...)
	for _, name := range p.IgnoredGoFiles {
		u, err := loadUnit(env, p, []string{name})
		if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
			errs = errors.Join(errs, err)
		}
		if err != nil {
			continue // files for other platforms may not be Go of this release
		}
		if suffix, ok := p.Unit(name, u.Name); ok {
			units[suffix] = append(units[suffix], &unit{Unit: u, Package: p, Suffix: suffix, ignored: true})
		}
	}
	for _, suffix := range []string{"", "t", "x"} {
		var all rewrite.Numbers
		for _, u := range units[suffix] {
			if suffix == "x" {
				u.Path += externalTest
			}
			all = append(all, u.Numbers()...)
		}
		for _, u := range units[suffix] {
			u.Number(all)
			if err := u.Find(options); err == nil {
				m.Units = append(m.Units, u)
			} else if !u.ignored {
				errs = errors.Join(errs, err)
			}
		}
	}
	return errs
}

// loadUnit loads files of a package that are compiled together; it returns nil if there are none.
func loadUnit(env *cli.Env, p *overlay.Package, names []string) (*rewrite.Unit, error) {
	var sources []rewrite.Source
	for _, name := range names {
		path := filepath.Join(p.Dir, name)
		text, err := fileread.File(path)
		if err != nil {
			return nil, err
		}
		// Code that markgen inserted is not part of the user's source; blanking it keeps all
		// positions.
		sources = append(sources, rewrite.Source{Name: env.Shown(path), Text: inplace.Blank(text)})
	}
	if len(sources) == 0 {
		return nil, nil
	}
	u, err := rewrite.Load(p.ImportPath, sources)
	return u, syntaxErrors(err)
}

// fileArguments is the import path that go gives to files named on the command line. Their markers
// are named by the package that the files are part of.
const fileArguments = "command-line-arguments"

// externalTest is the suffix of the import path of a package's external tests.
const externalTest = "_test"

// assign assigns IDs to the points, as an overlay build does, and computes the registry, which is
// valid on every platform if there was one before. It discards the files that are not compiled here.
func (m *module) assign(env *cli.Env) {
	discard := func() { m.Units = slices.DeleteFunc(m.Units, func(u *unit) bool { return u.ignored }) }
	if m.Before.Empty() {
		discard() // as in an overlay build: IDs depend on nothing but what is compiled
	}
	packages := m.gone(env)
	for _, p := range m.Packages {
		packages = append(packages, p.ImportPath, p.ImportPath+externalTest)
	}
	var points []registry.Point
	for _, u := range m.Units {
		points = append(points, u.RegistryPoints()...)
	}
	ids, after := m.Before.Assign(packages, points)
	if m.partial {
		after = m.Before
	}
	for _, u := range m.Units {
		u.SetIDs(ids[:len(u.Points)])
		ids = ids[len(u.Points):]
	}
	m.After = after
	discard()
}

// gone returns the packages that have live markers in the registry but no directory any more, if
// they would match the patterns: their markers have moved elsewhere or are retired.
func (m *module) gone(env *cli.Env) []string {
	var list []string
	for _, path := range m.Before.Packages() {
		if dir, ok := m.dir(path); ok && m.named(env, path) {
			if !overlay.HasGoFiles(dir) {
				list = append(list, path)
			}
		}
	}
	return list
}

// named reports whether a package is loaded, or would be if it existed.
func (m *module) named(env *cli.Env, path string) bool {
	path = strings.TrimSuffix(path, externalTest)
	if slices.ContainsFunc(m.Packages, func(p *overlay.Package) bool { return p.ImportPath == path }) {
		return true
	}
	dir, ok := m.dir(path)
	return ok && slices.ContainsFunc(m.patterns, func(pattern string) bool { return names(env, pattern, dir, path) })
}

// dir returns the directory of a package of the module, or of an external test package.
func (m *module) dir(path string) (string, bool) {
	path = strings.TrimSuffix(path, externalTest)
	if path == m.Path {
		return m.Root, true
	}
	rest, ok := strings.CutPrefix(path, m.Path+"/")
	return filepath.Join(m.Root, filepath.FromSlash(rest)), ok && m.Root != ""
}

// names reports whether a pattern ending in "..." would match the package if it existed.
func names(env *cli.Env, pattern, dir, path string) bool {
	prefix, ok := strings.CutSuffix(pattern, "...")
	if !ok {
		return pattern == "all" || pattern == "work"
	}
	if prefix == "./" || strings.HasPrefix(prefix, "./") || strings.HasPrefix(prefix, "../") || filepath.IsAbs(prefix) {
		path, prefix = filepath.ToSlash(dir), filepath.ToSlash(env.Path(filepath.Clean(prefix)))
	}
	prefix = strings.TrimSuffix(prefix, "/")
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// readRegistry reads the registry of the module in root with that module path; it is empty if there
// is none.
func readRegistry(env *cli.Env, root, module string) (*registry.Registry, error) {
	if root == "" {
		return new(registry.Registry), nil
	}
	path := filepath.Join(root, registry.FileName)
	text, err := fileread.File(path)
	if errors.Is(err, os.ErrNotExist) {
		return new(registry.Registry), nil
	}
	if err != nil {
		return nil, err
	}
	r, err := registry.Parse(env.Shown(path), text)
	if err != nil {
		return nil, err
	}
	return r.InModule(module, func(dir string) bool { return overlay.HasGoFiles(filepath.Join(root, filepath.FromSlash(dir))) }), nil
}

// readConfig reads the configuration file named by -config, or that of the module in root; it is
// empty if there is none.
func readConfig(env *cli.Env, root, name string) (*config.Config, error) {
	path, read := env.Path(name), fileread.Named
	if name == "" {
		if root == "" {
			return new(config.Config), nil
		}
		path, read = filepath.Join(root, config.FileName), fileread.File
	}
	text, err := read(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && name == "":
		return new(config.Config), nil
	case err != nil:
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	return config.Parse(env.Shown(path), text)
}
