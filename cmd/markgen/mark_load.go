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
	"github.com/markgen/markgen/rewrite/inplace"
	rt "github.com/markgen/markgen/runtime"
)

// A markPlan is the planned result of marking.
type markPlan struct {
	changes  []change          // sorted by path
	packages []string          // directories of changed packages, as patterns for go
	points   int               // number of markers
	programs bool              // there are programs whose end the runtime will see
	unseen   []string          // messages about programs whose end it will not see
	same     map[string]bool   // changes whose file is written by another change, by path
	unmarked map[string][]byte // the files without markers, with the same line numbers; nil if to be missing
}

// A change is a file with new content.
type change struct {
	path      string // absolute
	old, text []byte // nil if the file does not exist
}

// planMarks computes the new content of the files. It locks the modules against other markgen
// processes until unlock is called. Errors are in the user's source, registry or configuration, or
// are of the go command.
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

// directories replaces Go files by their directories: the markers of a package are declared in one
// table, so a package is always marked as a whole.
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

// A marking marks the packages of one module.
type marking struct {
	*module
	env     *cli.Env
	o       markOptions
	plan    *markPlan
	options rewrite.Options
	groups  []*markedPackage
	pace    *heap.Pace
}

// A markedPackage is a package being marked.
type markedPackage struct {
	*overlay.Package
	disk   map[string][]byte // by absolute path: the source files, and the generated tables
	plain  map[string][]byte // source files without markers
	units  []*markedUnit
	wanted map[string][]byte // new content; nil if to be missing
}

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
			continue // the runtime itself is not marked
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

// find finds the points of a package, in the files for all platforms. Errors have positions in the
// files on disk.
func (m *marking) find(g *markedPackage) error {
	units, err := m.findIn(g, g.plain)
	if err != nil {
		blanked := map[string][]byte{}
		for path := range g.plain {
			blanked[path] = inplace.Blank(g.disk[path])
		}
		if _, there := m.findIn(g, blanked); there != nil {
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

// findIn finds the points of a package in the given texts of its source files.
func (m *marking) findIn(g *markedPackage, texts map[string][]byte) (units []*markedUnit, errs error) {
	byUnit := map[string][]string{}
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
		units = append(units, &markedUnit{u, suffix, names})
	}
	for _, u := range units {
		if err := u.Find(m.options); err != nil {
			errs = errors.Join(errs, syntaxErrors(err))
		}
	}
	return units, errs
}

// unitOf returns the unit of a file. ok is false if the file is not part of the package: a file for
// another platform may be of another package, or not be Go of this release.
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

// place assigns IDs to the points and generates the marked source.
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
			in := inplace.Options{Runtime: runtime, Root: m.Root, Dir: m.env.Dir, Unit: u.suffix, Now: map[string][]byte{}}
			in.Program = g.Name == "main" && u.suffix == "" && programs.marked(g.Dir)
			m.plan.programs = m.plan.programs || in.Program
			for path, text := range g.plain {
				if slices.Contains(u.names, path) {
					in.Now[m.env.Shown(path)] = g.disk[path]
				} else {
					in.Beside = append(in.Beside, text)
				}
			}
			texts, err := inplace.Mark(u.Unit, in)
			if err != nil {
				return err
			}
			for name, text := range texts {
				path := m.env.Path(name)
				if old, err := fileread.File(path); err == nil && inplace.IsTable(text) && !inplace.IsTable(old) {
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

// compare adds the changed files of a package to the plan.
func (m *marking) compare(g *markedPackage) {
	changed := false
	for path, text := range g.wanted {
		old, there := g.disk[path]
		if there == (text != nil) && (string(old) == string(text) || inplace.IsTable(text) && inplace.SameTable(old, text)) {
			continue
		}
		changed = true
		m.plan.changes = append(m.plan.changes, change{path, old, text})
	}
	if !changed {
		return
	}
	m.plan.packages = append(m.plan.packages, g.Dir)
	for path, text := range g.disk {
		if blank := inplace.Blank(text); string(blank) != string(text) {
			m.plan.unmarked[path] = blank
		}
	}
}

// runtimePath returns the import path of the runtime for marked source of the module.
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

// syntaxErrors returns all errors of a file that does not parse.
func syntaxErrors(err error) error {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return err
	}
	return overlay.SyntaxErrors(list, "")
}
