package isolate

import (
	"go/token"
	"strings"

	"github.com/markgen/markgen/profile"
)

// Exported returns what is true of the markers of exported functions, and of exported
// methods of exported types, in the packages of those import paths.
func Exported(packages []string) func(*profile.Marker) bool {
	of := inPackages(packages)
	return func(m *profile.Marker) bool { return of(m) && IsExported(m.Package, m.Name) }
}

// Declared is Exported for all functions that have a declaration.
func Declared(packages []string) func(*profile.Marker) bool {
	of := inPackages(packages)
	return func(m *profile.Marker) bool { return of(m) && !strings.Contains(inPackage(m.Package, m.Name), ":") }
}

// inPackages returns what is true of the markers of functions in the packages.
func inPackages(packages []string) func(*profile.Marker) bool {
	set := map[string]bool{}
	for _, path := range packages {
		set[path] = true
	}
	return func(m *profile.Marker) bool { return m.Kind == "func" && set[m.Package] }
}

// inPackage is a marker's name without its package and the dot.
func inPackage(path, name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, path), ".")
}

// IsExported tells whether the name of a function's marker in the package of that path is
// part of the package's API: F, T.M, (*T).M with exported identifiers, or a name that a
// directive gave. What has a colon is part of a function.
func IsExported(path, name string) bool {
	name = inPackage(path, name)
	if strings.Contains(name, ":") {
		return false
	}
	typ, method, isMethod := strings.Cut(name, ").")
	if isMethod {
		typ = strings.TrimPrefix(typ, "(*")
	} else if typ, method, isMethod = strings.Cut(name, "."); !isMethod {
		return token.IsExported(name) || !token.IsIdentifier(name)
	}
	return token.IsExported(typ) && token.IsExported(method)
}
