package registry

import (
	"slices"
	"strings"
)

// InModule returns the registry adapted to the module path. If no package with live markers is in
// the module, but there is one with the same folder under another module path, the module path has
// changed, for instance by a new major version: then the packages of all entries get the new path.
// has reports whether the module has a package in a folder, named relative to the module root, with
// slashes; "" is the root itself. InModule does not modify r.
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
		_, inside := within(path, candidate) // a package renamed within the module has not become its root
		for _, p := range live {
			if dir, _ := within(candidate, p); (dir != "" || !inside) && has(dir) {
				n++
			}
		}
		if n > most { // on a tie the first, with the longest common folder names
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

// externalTest is the suffix of the import path of a package's external tests.
const externalTest = "_test"

// within returns the folder of a package in the module path; ok is false if it is not in that
// module.
func within(path, pkg string) (dir string, ok bool) {
	if pkg == path {
		return "", true
	}
	return strings.CutPrefix(pkg, path+"/")
}

// prefixes returns the common path prefixes of all packages, shortest first.
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
