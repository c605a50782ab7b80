package isolate

import (
	"go/token"
	"strings"

	"github.com/markgen/markgen/profile"
)

// Exported returns a predicate that reports whether a marker is of an exported function, or an
// exported method of an exported type, in one of the packages with the given import paths.
func Exported(packages []string) func(*profile.Marker) bool {
	of := inPackages(packages)
	return func(m *profile.Marker) bool { return of(m) && IsExported(m.Package, m.Name) }
}

// Declared is like Exported, for all declared functions.
func Declared(packages []string) func(*profile.Marker) bool {
	of := inPackages(packages)
	return func(m *profile.Marker) bool { return of(m) && !strings.Contains(inPackage(m.Package, m.Name), ":") }
}

// inPackages returns a predicate that reports whether a marker is of a function in one of the
// packages.
func inPackages(packages []string) func(*profile.Marker) bool {
	set := map[string]bool{}
	for _, path := range packages {
		set[path] = true
	}
	return func(m *profile.Marker) bool { return m.Kind == "func" && set[m.Package] }
}

// inPackage returns a marker's name without its package and the dot.
func inPackage(path, name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, path), ".")
}

// IsExported reports whether name, the name of a function's marker in the package with that path,
// is part of the package's API: F, T.M or (*T).M with exported identifiers, or a name given by a
// directive. A name with a colon is of a part of a function.
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
