package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/heap"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	rt "github.com/markgen/markgen/runtime"
)

// markPlan is what marking comes to.
type markPlan struct {
	changes  []change                   // by path
	packages []string                   // directories of the packages that change, as patterns for go
	points   int                        // markers there will be
	programs bool                       // there are some whose end will be seen
	unseen   []string                   // messages about programs whose end will not be seen
	same     map[string]bool            // changes whose file another change writes, by path
	sized    []func(*overlay.SizeTests) // add the tests of packages with a size=, with the places on the disk
	unmarked map[string][]byte          // the files as they are without markers, on the same lines; nil: is to be missing
}

// change is a file with a new content.
type change struct {
	path      string // absolute
	old, text []byte // nil: not there
}

// planMarks works out what the files are to be. It locks the modules against other markgens until unlock is called.
// An error is one of the user's source, registry or configuration, or of the go command's.
func planMarks(ctx context.Context, env *cli.Env, o markOptions) (plan *markPlan, unlock func(), err error) {
	o.Patterns = directories(env, o.Patterns)
	modules, err := listModules(ctx, env, o.loadOptions)
	if err != nil {
		return nil, nil, err
	}
	var unlocks []func()
	unlock = func() {
		for _, u := range slices.Backward(unlocks) {
			u()
		}
	}
	slices.SortFunc(modules, func(a, b *module) int { return strings.Compare(a.Root, b.Root) })
	plan = &markPlan{unmarked: map[string][]byte{}}
	pace := heap.Pace{PerByte: heap.InPlace}
	defer pace.Restore()
	for _, m := range modules {
		if m.Root == "" {
			err = errors.Join(err, fmt.Errorf("%s is in no module; run go mod init NAME, then markgen init", env.Shown(m.Packages[0].Dir)))
			continue
		}
		u, lockErr := filewrite.Lock(ctx, m.Root)
		if lockErr != nil {
			err = errors.Join(err, lockErr)
			break
		}
		unlocks = append(unlocks, u)
		if !o.looks {
			filewrite.Sweep(m.Root)
			for _, p := range m.Packages {
				filewrite.Sweep(p.Dir)
			}
		}
		err = errors.Join(err, (&marking{module: m, env: env, o: o, plan: plan, pace: &pace}).run(ctx))
	}
	slices.SortFunc(plan.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	if err == nil {
		err = plan.settleLinks(env, modules, o.strip)
	}
	if err != nil {
		unlock()
		return nil, nil, newerSyntax(err, askGo(env).GOVERSION)
	}
	return plan, unlock, nil
}

// directories replaces files of Go source by the directories they are in: the markers of a package are declared in one
// place, so a package is marked as a whole.
func directories(env *cli.Env, patterns []string) []string {
	var list []string
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") && !env.IsFolder(p) {
			if p = filepath.Dir(p); !filepath.IsAbs(p) {
				p = "./" + filepath.ToSlash(p)
			}
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// marking is the marking of the packages of one module.
type marking struct {
	*module
	env     *cli.Env
	o       markOptions
	plan    *markPlan
	options rewrite.Options
	groups  []*markedPackage
	pace    *heap.Pace
}

// markedPackage is one package on its way.
type markedPackage struct {
	*overlay.Package
	disk   map[string][]byte // by absolute path: the sources, and the generated tables
	plain  map[string][]byte // the sources without markers
	units  []*markedUnit
	wanted map[string][]byte // what is to be there; nil: nothing
}

// markedUnit is a group of files that are compiled together on some platform.
type markedUnit struct {
	*rewrite.Unit
	suffix string
	names  []string
}

func (m *marking) run(ctx context.Context) error {
	var err error
	if m.Before, err = readRegistry(m.env, m.Root, m.Path); err != nil {
		return err
	}
	c, err := readConfig(m.env, m.Root, m.o.Config)
	if err != nil {
		return err
	}
	m.options = rewrite.Options{All: m.o.All, Generated: m.o.generated, Keep: c.Keep, Adjust: c.Adjust}
	for _, p := range m.Packages {
		if rt.IsPart(p.ImportPath) {
			continue // the runtime is not marked with itself
		}
		g := &markedPackage{Package: p, disk: map[string][]byte{}, plain: map[string][]byte{}, wanted: map[string][]byte{}}
		m.groups = append(m.groups, g)
		if e := m.read(g); e != nil {
			err = errors.Join(err, e)
		} else if !m.o.strip {
			err = errors.Join(err, m.find(g))
		}
	}
	if err != nil {
		return err
	}
	if !m.o.strip {
		if err := m.place(ctx); err != nil {
			return err
		}
	}
	for _, g := range m.groups {
		m.compare(g)
	}
	return nil
}

// tablesIn reads the tables of markers that a directory has, by their paths.
func tablesIn(dir string) (map[string][]byte, error) {
	paths, errs := filepath.Glob(filepath.Join(quoteGlob(dir), "markgen_table*.go"))
	tables := map[string][]byte{}
	for _, path := range paths {
		text, err := fileread.File(path)
		if err != nil {
			errs = errors.Join(errs, err)
		} else if rewrite.IsTable(text) {
			tables[path] = text
		}
	}
	return tables, errs
}

// read reads the files of a package and takes the markers out.
func (m *marking) read(g *markedPackage) error {
	tables, errs := tablesIn(g.Dir)
	for path, text := range tables {
		g.disk[path] = text
		g.wanted[path] = nil
	}
	for _, names := range [][]string{g.GoFiles, g.CgoFiles, g.TestGoFiles, g.XTestGoFiles, g.IgnoredGoFiles} {
		for _, name := range names {
			path := filepath.Join(g.Dir, name)
			if _, isTable := g.wanted[path]; isTable {
				continue
			}
			text, err := fileread.File(path)
			m.pace.Begin(len(text))
			var plain []byte
			if err == nil {
				plain, err = rewrite.Strip(m.env.Shown(path), text)
			}
			switch {
			case err == nil:
				g.disk[path], g.plain[path], g.wanted[path] = text, plain, plain
			case !slices.Contains(g.IgnoredGoFiles, name): // what is not for this platform need not be Go of this release
				errs = errors.Join(errs, syntaxErrors(err))
			}
		}
	}
	return errs
}

// quoteGlob makes a directory's name stand for itself in a pattern.
func quoteGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// find finds the points of a package, in the files for all platforms. An error has its place in the file on the disk.
func (m *marking) find(g *markedPackage) error {
	units, err := m.findIn(g, g.plain)
	if err != nil {
		if _, there := m.findIn(g, g.blank()); there != nil {
			err = there
		}
		return err
	}
	g.units = units
	for _, u := range units {
		m.plan.points += len(u.Points)
	}
	return nil
}

// findIn finds the points of a package in texts of its sources.
func (m *marking) findIn(g *markedPackage, texts map[string][]byte) (units []*markedUnit, errs error) {
	byUnit := map[string][]string{}
	var together []*rewrite.Unit
	for _, path := range slices.Sorted(maps.Keys(g.plain)) {
		suffix, ok := m.unitOf(g, path)
		if ok {
			byUnit[suffix] = append(byUnit[suffix], path)
		}
	}
	for _, suffix := range []string{"", "t", "x"} {
		names := byUnit[suffix]
		if len(names) == 0 {
			continue
		}
		var sources []rewrite.Source
		for _, path := range names {
			sources = append(sources, rewrite.Source{Name: m.env.Shown(path), Text: texts[path]})
		}
		path := g.ImportPath
		if suffix == "x" {
			path += externalTest
		}
		u, err := rewrite.Load(path, sources)
		if err != nil {
			errs = errors.Join(errs, syntaxErrors(err))
			continue
		}
		if units = append(units, &markedUnit{u, suffix, names}); suffix != "x" {
			together = append(together, u)
		}
	}
	rewrite.Together(together...)
	for _, u := range units {
		if err := u.Find(m.options); err != nil {
			errs = errors.Join(errs, syntaxErrors(err))
		}
	}
	return units, errs
}

// unitOf says which unit of its package a file belongs to, if it belongs to the package: a file that is not for this
// platform may be of another one, or not be Go of this release.
func (m *marking) unitOf(g *markedPackage, path string) (suffix string, ok bool) {
	f, err := parser.ParseFile(token.NewFileSet(), path, g.plain[path], parser.PackageClauseOnly)
	if err != nil {
		return "", false
	}
	if slices.Contains(g.IgnoredGoFiles, filepath.Base(path)) {
		if _, err := parser.ParseFile(token.NewFileSet(), path, g.plain[path], parser.SkipObjectResolution); err != nil {
			return "", false
		}
	}
	return g.Unit(path, f.Name.Name)
}

// place gives the points their IDs and has the markers written.
func (m *marking) place(ctx context.Context) error {
	packages := m.gone(m.env)
	var points []registry.Point
	for _, g := range m.groups {
		packages = append(packages, g.ImportPath, g.ImportPath+externalTest)
		for _, u := range g.units {
			points = append(points, u.RegistryPoints()...)
		}
	}
	ids, after := m.Before.Assign(packages, points)
	for _, g := range m.groups {
		for _, u := range g.units {
			u.SetIDs(ids[:len(u.Points)])
			ids = ids[len(u.Points):]
		}
	}
	m.changeRegistry(after)

	runtime, err := m.runtimePath(ctx)
	if err != nil {
		return err
	}
	programs := &programs{m, map[string]bool{}}
	if !m.o.looks {
		unseen, err := programs.unseen(ctx)
		if err != nil {
			return err
		}
		m.plan.unseen = append(m.plan.unseen, unseen...)
	}
	for _, g := range m.groups {
		for _, u := range g.units {
			in := rewrite.InPlace{Runtime: runtime, Root: m.Root, Dir: m.env.Dir, Unit: u.suffix, Now: map[string][]byte{}}
			in.Program = g.Name == "main" && u.suffix == "" && programs.marked(g.Dir)
			m.plan.programs = m.plan.programs || in.Program
			for path, text := range g.plain {
				if slices.Contains(u.names, path) {
					in.Now[m.env.Shown(path)] = g.disk[path]
				} else {
					in.Beside = append(in.Beside, text)
				}
			}
			texts, err := u.InPlace(in)
			if err != nil {
				return err
			}
			for name, text := range texts {
				path := m.env.Path(name)
				if old, err := fileread.File(path); err == nil && rewrite.IsTable(text) && !rewrite.IsTable(old) {
					return fmt.Errorf("%s:1:1: this file was not written by markgen, which needs its name; give it another", m.env.Shown(path))
				}
				g.wanted[path] = text
				if message, ok := unseenExit(name, text); ok && in.Program && !m.o.looks {
					m.plan.unseen = append(m.plan.unseen, message)
				}
			}
		}
	}
	return nil
}

func (m *marking) changeRegistry(after *registry.Registry) {
	path := filepath.Join(m.Root, registry.FileName)
	old, err := fileread.File(path)
	text := after.Format()
	if err != nil {
		if old = nil; len(after.Entries()) == 0 {
			return
		}
	}
	if !registry.Same(old, text) {
		m.plan.changes = append(m.plan.changes, change{path, old, text})
	}
}

// compare notes the files of a package that change.
func (m *marking) compare(g *markedPackage) {
	changed := false
	for path, text := range g.wanted {
		old, there := g.disk[path]
		if there == (text != nil) && (string(old) == string(text) || rewrite.IsTable(text) && rewrite.SameTable(old, text)) {
			continue
		}
		changed = true
		m.plan.changes = append(m.plan.changes, change{path, old, text})
	}
	if !changed {
		return
	}
	m.plan.packages = append(m.plan.packages, g.Dir)
	if g.hasSizes() {
		m.plan.sized = append(m.plan.sized, func(tests *overlay.SizeTests) { m.addSizeTests(g, tests) })
	}
	for path, text := range g.disk {
		if blank := rewrite.Blank(text); string(blank) != string(text) {
			m.plan.unmarked[path] = blank
		}
	}
}

// runtimePath returns the import path that marked source of the module has for the runtime.
func (m *marking) runtimePath(ctx context.Context) (string, error) {
	copied, _ := filepath.Glob(filepath.Join(quoteGlob(filepath.Join(m.Root, filepath.FromSlash(rt.VendoredPerf))), "*.go"))
	if len(copied) > 0 {
		text, _ := fileread.File(filepath.Join(filepath.Dir(copied[0]), "register.go"))
		if !bytes.Contains(text, []byte("\nfunc RegisterTable(")) || !bytes.Contains(text, []byte(strconv.Quote(m.Path+"/"+rt.Vendored+"/layout"))) {
			return "", fmt.Errorf("%s is the runtime of another version of markgen, or for another path of the module; run markgen init -vendor", m.env.Shown(filepath.Dir(copied[0])))
		}
		return m.Path + "/" + rt.VendoredPerf, nil
	}
	if m.o.vendored {
		return "", fmt.Errorf("%s has no copy of the runtime; run markgen init -vendor", m.env.Shown(m.Root))
	}
	path := rt.Perf
	if m.plan.points == 0 || m.o.looks {
		return path, nil
	}
	found, err := overlay.List(ctx, overlay.ListOptions{Dir: m.Root, Environ: m.env.Environ, Patterns: []string{path}})
	if err != nil {
		return "", err
	}
	if len(found) == 1 && found[0].Error != nil && strings.Contains(found[0].Error.Err, "missing go.sum entry") {
		return "", fmt.Errorf("%s has no sum of %s, which marked source imports; run markgen init", m.env.Shown(filepath.Join(m.Root, "go.sum")), rt.Module)
	}
	if len(found) != 1 || found[0].Error != nil {
		return "", fmt.Errorf("%s: the module does not require %s, which marked source imports; run markgen init", m.env.Shown(filepath.Join(m.Root, "go.mod")), rt.Module)
	}
	return path, nil
}

// syntaxErrors lists all errors of a file that does not parse.
func syntaxErrors(err error) error {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return err
	}
	return overlay.SyntaxErrors(list, "")
}
