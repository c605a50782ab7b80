package overlay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	rt "github.com/markgen/markgen/runtime"
)

// A selection has the packages of a build that are to be marked, and notes about the choice.
type selection struct {
	packages []*Package
	notes    []string // messages for the user: patterns that match nothing, excluded packages
}

// choose returns the packages of a build that match patterns, as for -coverpkg: import paths and
// "..." patterns, directories that begin with a dot or are absolute, "std", "cmd", "work" and
// "all". Without patterns it returns the packages of the main module or the workspace, packages
// outside modules, and files given by name. If a build has none of those, as inside the standard
// library, it returns the packages that the build names. flag is the flag whose value patterns is.
func choose(ctx context.Context, pkgs []*Package, flag string, patterns []string, o ListOptions) (*selection, error) {
	if len(patterns) == 0 {
		s, err := pick(ctx, pkgs, isMain, flag, nil, o)
		if err == nil && len(s.packages) == 0 {
			s, err = pick(ctx, pkgs, func(p *Package) bool { return !p.DepOnly }, flag, nil, o)
		}
		return s, err
	}
	var matchers []func(*Package) bool
	for _, pattern := range patterns {
		m, err := matcher(flag, pattern, o.Dir)
		if err != nil {
			return nil, err
		}
		matchers = append(matchers, m)
	}
	used := make([]bool, len(patterns))
	s, err := pick(ctx, pkgs, func(p *Package) bool {
		named := false
		for i, m := range matchers {
			if m(p) {
				used[i], named = true, true
			}
		}
		return named
	}, flag, patterns, o)
	if err != nil {
		return nil, err
	}
	for i, pattern := range patterns {
		if !used[i] {
			s.notes = append(s.notes, fmt.Sprintf("%s %s matches no package of this build", flag, pattern))
		}
	}
	return s, nil
}

// pick returns the wanted packages except those that cannot be marked, with notes about those; it
// is an error if one of them was named explicitly.
func pick(ctx context.Context, pkgs []*Package, wanted func(*Package) bool, flag string, names []string, o ListOptions) (*selection, error) {
	s := new(selection)
	var tooLow []string
	var low map[string]bool // packages of the runtime of marked programs; computed when first needed
	for _, p := range pkgs {
		if !wanted(p) || !markable(p) {
			continue
		}
		if name := notUTF8(p); name != "" {
			s.notes = append(s.notes, fmt.Sprintf("package %s is compiled without markers: %s has a name that is not UTF-8, which an overlay cannot hold; rename the file", p.ImportPath, name))
			continue
		}
		if p.Standard {
			if low == nil {
				var err error
				if low, err = belowRuntime(ctx, o); err != nil {
					return nil, err
				}
			}
			if low[p.ImportPath] {
				if slices.Contains(names, p.ImportPath) {
					return nil, fmt.Errorf("%s %s: package %s cannot be marked, as %s itself is built from it; leave it out", flag, p.ImportPath, p.ImportPath, rt.VirtualPerf)
				}
				tooLow = append(tooLow, p.ImportPath)
				continue
			}
		}
		s.packages = append(s.packages, p)
	}
	if len(tooLow) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("not marked, as %s itself is built from them: %s", rt.VirtualPerf, strings.Join(tooLow, ", ")))
	}
	return s, nil
}

// isMain reports whether p is part of what the user works on: the main module, the workspace, or
// code outside modules.
func isMain(p *Package) bool {
	if p.Standard || p.Goroot {
		return false
	}
	return p.Module == nil || p.Module.Main
}

// markable reports whether p has source that could be marked.
func markable(p *Package) bool {
	return p.Dir != "" && p.ImportPath != "unsafe" && !rt.IsPart(p.ImportPath) &&
		len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
}

// notUTF8 returns a file of the package whose name is not UTF-8, as in go list's output, with
// U+FFFD for invalid bytes; "" if there is none.
func notUTF8(p *Package) string {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
		if strings.ContainsRune(name, utf8.RuneError) {
			if _, err := os.Lstat(filepath.Join(p.Dir, name)); err != nil {
				return name
			}
		}
	}
	return ""
}

// matcher returns the predicate for a package pattern.
func matcher(flag, pattern, dir string) (func(*Package) bool, error) {
	switch pattern {
	case "":
		return nil, fmt.Errorf("%s has an empty package name in its list; drop the comma", flag)
	case "all":
		return func(*Package) bool { return true }, nil
	case "std":
		return func(p *Package) bool { return p.Standard && !isCommand(p.ImportPath) }, nil
	case "cmd":
		return func(p *Package) bool { return p.Standard && isCommand(p.ImportPath) }, nil
	case "work":
		return isMain, nil
	}
	if isLocal(pattern) {
		re := wildcard(filepath.ToSlash(absolute(dir, pattern)))
		base, _, _ := strings.Cut(pattern, "...")
		base = absolute(dir, base)
		return func(p *Package) bool {
			// A pattern matches the standard library only if it begins inside it: ./... must not
			// match it through the link to a downloaded toolchain below the directory, as with
			// MARKGENCACHE=$PWD/.cache.
			return re.MatchString(filepath.ToSlash(p.Dir)) && (!p.Standard || within(p.Root, base))
		}, nil
	}
	re := wildcard(pattern)
	return func(p *Package) bool {
		return re.MatchString(p.ImportPath) || re.MatchString(strings.TrimPrefix(p.ImportPath, "vendor/"))
	}, nil
}

// isLocal reports whether a pattern names directories.
func isLocal(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") ||
		strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
}

func isCommand(path string) bool { return path == "cmd" || strings.HasPrefix(path, "cmd/") }

// wildcard compiles a pattern in which "..." matches any string, and a final "/..." also the empty
// string.
func wildcard(pattern string) *regexp.Regexp {
	re := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if rest, ok := strings.CutSuffix(re, `/.*`); ok {
		re = rest + `(/.*)?`
	}
	return regexp.MustCompile(`^` + re + `$`)
}
