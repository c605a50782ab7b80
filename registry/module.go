package registry

import (
	"slices"
	"strings"
)

// InModule returns the registry as that of the module with the path. Where no package with live markers is in the
// module any more, and one is that is called the same behind another path, the module has been given a new path, as by
// a new major version: the packages of all entries have it then. has says whether the module has a package in a
// folder, named relative to its root, with slashes, "" for the root itself. r is not changed.
func (r *Registry) InModule(path string, has func(dir string) bool) *Registry {
	var live []string
	for _, p := range r.Packages() {
		p = strings.TrimSuffix(p, externalTest)
		if dir, ok := within(path, p); ok && has(dir) {
			return r
		}
		live = append(live, p)
	}
	old, most := "", 0
	for _, candidate := range prefixes(live) {
		n := 0
		_, inside := within(path, candidate) // a package that was renamed there is not now that of the root
		for _, p := range live {
			if dir, _ := within(candidate, p); (dir != "" || !inside) && has(dir) {
				n++
			}
		}
		if n > most { // of those with as many the first, with which the names that are the same are longer
			old, most = candidate, n
		}
	}
	if most == 0 || old == path {
		return r
	}
	moved := slices.Clone(r.entries)
	for i := range moved {
		if dir, ok := within(old, moved[i].Package); ok {
			moved[i].Package = strings.TrimSuffix(path+"/"+dir, "/")
		} else if moved[i].Package == old+externalTest {
			moved[i].Package = path + externalTest
		}
	}
	slices.SortFunc(moved, compareEntries)
	return &Registry{moved}
}

// externalTest is what follows a package's import path in that of its external tests.
const externalTest = "_test"

// within is the folder of a package in the module with the path, if it is in that.
func within(path, pkg string) (dir string, ok bool) {
	if pkg == path {
		return "", true
	}
	return strings.CutPrefix(pkg, path+"/")
}

// prefixes are the paths that all of the packages begin with, the shortest first.
func prefixes(packages []string) (list []string) {
	if len(packages) == 0 {
		return nil
	}
	first := packages[0]
	for end := 0; end < len(first); end++ {
		next := strings.IndexByte(first[end:], '/')
		if next < 0 {
			end = len(first)
		} else {
			end += next
		}
		for _, p := range packages {
			if _, ok := within(first[:end], p); !ok {
				return list
			}
		}
		list = append(list, first[:end])
	}
	return list
}
