package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/internal/cli"
)

// A file that is written under one name changes under its other names, too, and the package of each
// name has its own markers. So a file with several names, by symbolic links, is marked only if the
// result is the same under all of them.
//
// Hard links are no problem: a new file is written, and the other names keep the old one.

// settleLinks reports the files of a plan that cannot be written because of their other names,
// which it searches below the roots of the modules. Of the other files it keeps one change each.
// Stripped files are the same in every package.
func (p *markPlan) settleLinks(env *cli.Env, modules []*module, strip bool) error {
	if len(p.changes) == 0 {
		return nil
	}
	names := map[string][]string{} // by the file itself, links followed
	if !strip {
		names = linkedNames(modules)
	}
	texts := map[string][]byte{}
	for _, c := range p.changes {
		texts[c.path] = c.text
	}
	var errs error
	p.same = map[string]bool{}
	seen, told := map[string]bool{}, map[string]bool{}
	for _, c := range p.changes {
		file := followed(c.path)
		p.same[c.path] = seen[file]
		if seen[file] = true; strip || p.same[c.path] {
			continue
		}
		own := listedName(modules, file)
		all := append(slices.Clip(names[file]), c.path)
		if own != "" {
			all = append(all, own)
		}
		for _, name := range all {
			text, changes := texts[name]
			if changes && string(text) == string(c.text) {
				continue
			}
			if err := linkError(env, all, own, !changes); !told[err.Error()] {
				told[err.Error()] = true
				errs = errors.Join(errs, err)
			}
			break
		}
	}
	return errs
}

// linkError returns the error for a file with several names that cannot be marked. own is its name
// that is not a link, or "". partly says that it is not marked under all names.
func linkError(env *cli.Env, names []string, own string, partly bool) error {
	i := slices.IndexFunc(names, func(name string) bool { return name != own })
	link, of := names[i], own
	if own == "" {
		of = names[slices.IndexFunc(names, func(name string) bool { return name != link })]
	}
	remedy := "put a copy in its place, or use markgen build, run and test, which write into no file"
	if partly {
		remedy = "mark both at once, " + remedy
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 { // its directory is a link
		link, of = filepath.Dir(link), filepath.Dir(of)
		remedy = "mark " + env.Shown(of) + " alone"
	}
	return fmt.Errorf("%s: the same as %s, by a symbolic link, and the marks of one do not suit the other; %s", env.Shown(link), env.Shown(of), remedy)
}

// linkedNames returns the names of Go files that are symbolic links, by the file they refer to. It
// skips directories that "..." patterns skip, and linked directories, in which all files have both
// names.
func linkedNames(modules []*module) map[string][]string {
	found := map[string]map[string]bool{}
	for _, m := range modules {
		_ = filepath.WalkDir(m.Root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil: // go list reports it better
				return nil
			case d.IsDir() && path != m.Root && unlisted(d.Name()):
				return fs.SkipDir
			case d.Type()&fs.ModeSymlink == 0 || filepath.Ext(path) != ".go" || unlisted(d.Name()):
				return nil
			}
			if file, err := filepath.EvalSymlinks(path); err == nil {
				if found[file] == nil {
					found[file] = map[string]bool{}
				}
				found[file][path] = true
			}
			return nil
		})
	}
	names := map[string][]string{}
	for file, paths := range found {
		names[file] = slices.Sorted(maps.Keys(paths))
	}
	return names
}

// unlisted reports whether the go command ignores a file or directory.
func unlisted(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata"
}

// listedName returns the name of a Go file below the root of one of the modules, or "" if the go
// command would not find it there.
func listedName(modules []*module, file string) string {
	for _, m := range modules {
		root, err := filepath.EvalSymlinks(m.Root)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(rel) || filepath.Ext(rel) != ".go" ||
			slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), unlisted) {
			continue
		}
		return filepath.Join(m.Root, rel)
	}
	return ""
}

// followed returns the file that is written under a path, or the path itself if that fails: writing
// will report the error.
func followed(path string) string {
	if file, err := filewrite.Follow(path); err == nil {
		return file
	}
	return path
}
