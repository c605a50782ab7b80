package report

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// The API view of a page has a card for each declared function. The types below say which markers
// those are, in which package each is, and what its source says about it.

// pageAPI has the data for the API view, besides the statistics of markers.
type pageAPI struct {
	Only      bool          `json:"only"` // the page is a catalogue, which opens with this view
	Packages  []pagePackage `json:"packages"`
	Functions pageFunctions `json:"functions"`
	Shapes    []pageShape   `json:"shapes"`
}

type pagePackage struct {
	Path string `json:"path"`
	Name string `json:"name"` // name in the package clause; if unknown, derived from the path
	Doc  string `json:"doc"`  // first sentence of its doc comment; "" if it has none or is unknown
}

// pageFunctions are in display order: by package, exported ones first, functions before methods, by
// type and name.
type pageFunctions struct {
	At        []int    `json:"at"`      // index of the marker
	Package   []int    `json:"package"` // index in Packages
	Type      []string `json:"type"`    // receiver type of a method; "" for functions
	Name      []string `json:"name"`
	Exported  []int    `json:"exported"`  // 1 if it can be called from other packages
	Doc       []string `json:"doc"`       // first sentence of its doc comment; "" as above
	Signature []string `json:"signature"` // "" if unknown
}

// An apiFunction is a declared function with its marker.
type apiFunction struct {
	marker   *profile.Marker
	at       int // index of the marker in the page
	path     string
	typ      string // receiver type; "" for functions
	name     string
	exported bool
}

// apiFunctionOf returns the function of a marker, by its name. ok is false for function literals
// and for parts of functions.
func apiFunctionOf(m *profile.Marker) (f apiFunction, ok bool) {
	if m.Kind != "func" {
		return f, false
	}
	path, name, ok := inPackage(m)
	if !ok || strings.Contains(name, ":") {
		return f, false
	}
	f = apiFunction{marker: m, path: path, name: name}
	typ, method, isMethod := strings.Cut(strings.TrimPrefix(name, "(*"), ".")
	if typ = strings.TrimSuffix(typ, ")"); isMethod && token.IsIdentifier(typ) && token.IsIdentifier(method) {
		f.typ, f.name = typ, method
	}
	f.export()
	return f, true
}

// inPackage splits the name of a marker into the package path and the name within the package.
func inPackage(m *profile.Marker) (path, name string, ok bool) {
	if name, ok = strings.CutPrefix(m.Name, m.Package+"."); ok && m.Package != "" {
		return m.Package, name, true
	}
	last := strings.LastIndex(m.Name, "/") + 1
	dot := strings.Index(m.Name[last:], ".")
	if dot < 0 {
		return "", "", false
	}
	return m.Name[:last+dot], m.Name[last+dot+1:], true
}

// export determines by name whether the function is exported. Functions in test files are not. A
// name that is not a Go identifier was given by a directive, so the function is assumed to matter.
func (f *apiFunction) export() {
	named := token.IsExported(f.name) && (f.typ == "" || token.IsExported(f.typ)) || !token.IsIdentifier(f.name)
	f.exported = named && !strings.HasSuffix(f.marker.File, "_test.go")
}

// apiFunctions returns the declared functions among the markers.
func apiFunctions(markers []*profile.Marker) (list []apiFunction) {
	for i, m := range markers {
		if f, ok := apiFunctionOf(m); ok {
			f.at = i
			list = append(list, f)
		}
	}
	return list
}

// importable reports whether packages of other modules can import the path.
func importable(importPath string) bool {
	return !slices.Contains(strings.Split(importPath, "/"), "internal")
}

// catalogued returns the functions that are part of the API of packages: those that others can
// import and call.
func catalogued(markers []*profile.Marker, declared *declarations) (list []apiFunction) {
	for _, f := range apiFunctions(markers) {
		declared.refine(&f)
		if f.exported && importable(f.path) && declared.file(f.marker).name != "main" {
			list = append(list, f)
		}
	}
	return list
}

// api returns the data for the API view; p is the profile whose shapes it shows.
func api(p *profile.Profile, markers []*profile.Marker, declared *declarations, only bool) pageAPI {
	a := pageAPI{Only: only, Packages: []pagePackage{}}
	list := apiFunctions(markers)
	for i := range list {
		declared.refine(&list[i])
	}
	slices.SortStableFunc(list, func(a, b apiFunction) int { // ties are by the marker's name and ID, as in the input
		return cmp.Or(
			cmp.Compare(a.path, b.path),
			-cmp.Compare(flag(a.exported), flag(b.exported)),
			profile.CompareNames(a.typ, b.typ),
			profile.CompareNames(a.name, b.name))
	})
	n := len(list)
	a.Functions = pageFunctions{make([]int, 0, n), make([]int, 0, n), make([]string, 0, n), make([]string, 0, n), make([]int, 0, n), make([]string, 0, n), make([]string, 0, n)}
	c := &a.Functions
	for i := range list {
		f := &list[i]
		if i == 0 || f.path != list[i-1].path {
			a.Packages = append(a.Packages, packageOf(f.path, list[i:], declared))
		}
		d := declared.of(f)
		c.At = append(c.At, f.at)
		c.Package = append(c.Package, len(a.Packages)-1)
		c.Type = append(c.Type, printable(f.typ))
		c.Name = append(c.Name, printable(f.name))
		c.Exported = append(c.Exported, flag(f.exported))
		c.Doc = append(c.Doc, printable(d.doc))
		c.Signature = append(c.Signature, printable(d.signature))
	}
	a.Shapes = shapes(list, p)
	return a
}

// packageOf returns the package of the functions at the beginning of list.
func packageOf(path string, list []apiFunction, declared *declarations) pagePackage {
	p := pagePackage{Path: path}
	for i := range list {
		if list[i].path != path {
			break
		}
		file := declared.file(list[i].marker)
		p.Name, p.Doc = cmp.Or(p.Name, file.name), cmp.Or(p.Doc, file.doc)
	}
	if p.Doc == "" {
		p.Doc = declared.docOfPackage(list[0].marker)
	}
	p.Name = cmp.Or(p.Name, lastOf(path))
	p.Path, p.Name, p.Doc = printable(p.Path), printable(p.Name), printable(p.Doc)
	return p
}

// lastOf returns the likely name of a package: the last element of its path that is not a major
// version.
func lastOf(importPath string) string {
	last := path.Base(importPath)
	if number, ok := strings.CutPrefix(last, "v"); ok && number != "" && strings.Trim(number, "0123456789") == "" && last != importPath {
		return path.Base(path.Dir(importPath))
	}
	return last
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// titleOf returns a title for packages: the common elements of their paths, or else some of the
// paths.
func titleOf(packages []pagePackage) string {
	var paths []string
	var shared []string
	for i, p := range packages {
		paths = append(paths, p.Path)
		parts := strings.Split(p.Path, "/")
		if i == 0 {
			shared = parts
		}
		n := 0
		for n < min(len(shared), len(parts)) && shared[n] == parts[n] {
			n++
		}
		shared = shared[:n]
	}
	if len(shared) > 0 {
		return strings.Join(shared, "/")
	}
	if len(paths) > 3 {
		paths = append(paths[:2:2], fmt.Sprintf("%d more", len(paths)-2))
	}
	return list(paths)
}
