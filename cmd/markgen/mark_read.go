package main

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/rewrite/inplace"
)

// tablesIn reads the tables of markers in a directory, by path.
func tablesIn(dir string) (map[string][]byte, error) {
	paths, errs := filepath.Glob(filepath.Join(quoteGlob(dir), "markgen_table*.go"))
	tables := map[string][]byte{}
	for _, path := range paths {
		text, err := fileread.File(path)
		if err != nil {
			errs = errors.Join(errs, err)
		} else if inplace.IsTable(text) {
			tables[path] = text
		}
	}
	return tables, errs
}

// read reads the files of a package and removes the markers.
func (m *marking) read(g *markedPackage) error {
	tables, errs := tablesIn(g.Dir)
	for path, text := range tables {
		g.disk[path] = text
		g.wanted[path] = nil
	}
	type file struct {
		name, path  string
		text, plain []byte
		err         error
	}
	var files []*file
	for _, name := range slices.Concat(g.GoFiles, g.CgoFiles, g.TestGoFiles, g.XTestGoFiles, g.IgnoredGoFiles) {
		path := filepath.Join(g.Dir, name)
		if _, isTable := g.wanted[path]; !isTable {
			files = append(files, &file{name: name, path: path})
		}
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range files {
		work.Go(func() error {
			if f.text, f.err = fileread.File(f.path); f.err == nil {
				m.pace.Begin(len(f.text))
				f.plain, f.err = inplace.Strip(m.env.Shown(f.path), f.text)
			}
			return nil
		})
	}
	_ = work.Wait()
	for _, f := range files {
		switch {
		case f.err == nil:
			g.disk[f.path], g.plain[f.path], g.wanted[f.path] = f.text, f.plain, f.plain
		case !slices.Contains(g.IgnoredGoFiles, f.name): // files for other platforms may not be Go of this release
			errs = errors.Join(errs, syntaxErrors(f.err))
		}
	}
	return errs
}

// quoteGlob escapes a directory's name for use in a glob pattern.
func quoteGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
