package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
)

// A placer looks up the lines of markers in the source. Tables that are stored with the source have
// no line numbers, or every edit would change them; the placer uses the lines of the current
// source.
type placer struct {
	modules *moduleFolders
	known   map[[2]string]map[placed]token.Position // by package and directory relative to the module's root
}

// placed identifies a marker in a package. It includes the file, since init functions of the
// package and of its tests have the same names.
type placed struct{ file, name string }

// newPlacer returns a placer for the source of the module in dir, or of the one that contains the
// working directory if dir is "", and of the modules it is built with.
func newPlacer(e *cli.Env, dir string) *placer {
	if dir == "" {
		dir, _ = moduleRoot(e.Dir) // "" if there is none
	} else {
		dir = e.Path(dir)
	}
	return &placer{newModuleFolders(e, dir), map[[2]string]map[placed]token.Position{}}
}

// place sets the lines of the profile's markers that have none and are in the source.
func (p *placer) place(of *profile.Profile) {
	for i := range of.Markers {
		m := &of.Markers[i]
		p.find(m.Package, m.Name, m.File, &m.Line, &m.Col)
	}
}

// placeTrace is place for a trace.
func (p *placer) placeTrace(of *trace.File) {
	for i := range of.Markers {
		m, column := &of.Markers[i], 0
		p.find(m.Package, m.Name, m.File, &m.Line, &column)
	}
}

// find sets the line and the column of a marker that has none, if it is in the source.
func (p *placer) find(pkg, name, file string, line, column *int) {
	if *line != 0 || pkg == "" || !filepath.IsLocal(filepath.FromSlash(file)) || !strings.HasSuffix(file, ".go") {
		return
	}
	key := [2]string{strings.TrimSuffix(pkg, externalTest), path.Dir(file)}
	in, ok := p.known[key]
	if !ok {
		if root := p.modules.of(pkg, file); root != "" {
			in = placesIn(root, filepath.FromSlash(key[1]), path.Base(file), key[0])
		}
		p.known[key] = in
	}
	if at, ok := in[placed{path.Base(file), name}]; ok {
		*line, *column = at.Line, at.Column
	}
}

// placesIn returns the positions of everything that can be marked in the package of a file. It
// reads only files in folder, below root; files that do not parse have no positions.
func placesIn(root, folder, file, importPath string) map[placed]token.Position {
	places := map[placed]token.Position{}
	for _, u := range unitsOf(sourcesIn(root, folder), file, importPath) {
		for _, point := range u.Points {
			places[placed{point.Pos.Filename, point.Name}] = point.Pos
		}
	}
	return places
}

// unitsOf returns the units of the package that a file is of, by suffix, with everything that can be
// marked as their points. Files that do not parse are left out.
func unitsOf(list []diskSource, file, importPath string) map[string]*rewrite.Unit {
	pkg := &overlay.Package{}
	clauses := make([]string, len(list))
	for i, source := range list {
		f, err := parser.ParseFile(token.NewFileSet(), source.Name, source.Text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		clauses[i] = f.Name.Name
		if source.Name == file {
			if pkg.Name = f.Name.Name; strings.HasSuffix(file, "_test.go") {
				pkg.Name = strings.TrimSuffix(pkg.Name, "_test")
			}
		}
	}
	if pkg.Name == "" {
		return nil
	}
	sources := map[string][]rewrite.Source{}
	for i, source := range list {
		if unit, ok := pkg.Unit(source.Name, clauses[i]); ok && clauses[i] != "" {
			sources[unit] = append(sources[unit], source.Source)
		}
	}
	all := map[string]*rewrite.Unit{}
	for unit, list := range sources {
		of := importPath
		if unit == "x" {
			of += externalTest
		}
		u, err := rewrite.Load(of, list)
		if err != nil {
			continue
		}
		_ = u.Find(rewrite.Options{All: true, Tests: true, Generated: true}) // errors are reported when the source is marked
		all[unit] = u
	}
	return all
}

// A diskSource is a Go file by its base name, with inserted markers blanked so that lines stay the
// same.
type diskSource struct {
	rewrite.Source
	marked  []byte    // with the markers
	changed time.Time // when the file was last written
}

// sourcesIn returns the Go files of a directory below root.
func sourcesIn(root, folder string) (list []diskSource) {
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer at.Close()
	files := at.FS()
	names, _ := fs.Glob(files, path.Join(quoteGlob(filepath.ToSlash(folder)), "*.go"))
	for _, name := range names {
		info, err := fs.Stat(files, name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err == nil && !inplace.IsTable(text) {
			list = append(list, diskSource{rewrite.Source{Name: path.Base(name), Text: inplace.Blank(text)}, text, info.ModTime()})
		}
	}
	return list
}
