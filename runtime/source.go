// Package runtime has the source of what marked programs import, for the command: an overlay build
// compiles it as packages of the standard library, and markgen init -vendor copies it into a
// module.
package runtime

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
)

// Source is the source of the module's other packages: package perf, which marked programs import,
// and what it imports. The patterns match every name that does not end in st.go, which tests do:
// they would be a third of it, 260 kB of the command.
//
//go:embed */*[^t].go */*[^s]t.go */*.s
//go:embed internal/*/*[^t].go internal/*/*[^s]t.go internal/*/*.s
var Source embed.FS

const (
	// Module is the path of this module.
	Module = "github.com/markgen/markgen/runtime"

	// GoVersion is the version in the go line of the module.
	GoVersion = "1.23"

	// Perf is the import path of package perf for programs that require the module.
	Perf = Module + "/perf"

	// Vendored is the directory below a module's root that holds the
	// module's own copy of the packages, if it has one (markgen init -vendor).
	Vendored = "internal/markgen"

	// VendoredPerf is where package perf is in such a copy.
	VendoredPerf = Vendored + "/perf"

	// Virtual stands for Module in the import paths of an overlay build: a
	// directory below GOROOT/src that exists in the overlay only, so that every
	// package may import what is in it without an entry in any go.mod.
	Virtual = "markgen"

	// VirtualPerf is the import path of package perf in an overlay build.
	VirtualPerf = Virtual + "/perf"

	// assembly is where assembly is put in an overlay build. The go
	// command runs the assembler inside the package's directory, so it has to
	// exist; this one does, and holds no package of its own.
	assembly = "internal/runtime"

	// gorootTag, virtualTag and deepTag keep files out that are compiled below GOROOT/src only, that are for
	// overlay builds, and for deep ones.
	gorootTag  = "markgen_goroot && "
	virtualTag = "markgen_virtual && "
	deepTag    = "markgen_deep && "
)

// IsPerf says whether an import path is that of package perf, in any of its places.
func IsPerf(path string) bool {
	return path == VirtualPerf || path == Perf || strings.HasSuffix(path, "/"+VendoredPerf)
}

// IsPart says whether an import path is that of package perf or of one that it imports, in any of their
// places. They are what markers call, so they have none.
func IsPart(path string) bool {
	dir, ok := strings.CutPrefix(path, Module+"/")
	if !ok {
		dir, ok = strings.CutPrefix(path, Virtual+"/")
	}
	if !ok {
		_, dir, ok = strings.Cut(path, "/"+Vendored+"/")
	}
	if !ok {
		return false
	}
	info, err := fs.Stat(Source, dir)
	return err == nil && info.IsDir()
}

// Moved returns the text of a file of Source with the packages that it imports in another place, to for Module.
func Moved(text []byte, to string) []byte {
	return bytes.ReplaceAll(text, []byte(`"`+Module+"/"), []byte(`"`+to+"/"))
}

// Files returns the names of the files in Source.
func Files() ([]string, error) {
	var names []string
	err := fs.WalkDir(Source, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// VirtualFiles are the files for an overlay build, by their slash-separated paths below GOROOT/src.
// They are those of Source, save that goroot_*.go and virtual_* lose the tags that keep them out there, that
// module_*.go are left out, and that assembly moves to a package next door, from which the
// functions are linked. For a deep build (package overlay/deep) deep_*.go take the place of
// plain_*.go.
func VirtualFiles(deep bool) (map[string][]byte, error) {
	names, err := Files()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		text, err := fs.ReadFile(Source, name)
		if err != nil {
			return nil, err
		}
		text = Moved(text, Virtual)
		base, to := path.Base(name), Virtual+"/"+name
		switch {
		case strings.HasPrefix(base, "module_"):
		case strings.HasPrefix(base, "plain_") && deep, strings.HasPrefix(base, "deep_") && !deep:
		case strings.HasPrefix(base, "deep_"):
			files[to] = bytes.Replace(text, []byte(deepTag), nil, 1)
		case strings.HasPrefix(base, "goroot_"):
			files[to] = bytes.Replace(text, []byte(gorootTag), nil, 1)
		case strings.HasSuffix(base, ".s"):
			text = bytes.Replace(text, []byte(virtualTag), nil, 1)
			addAssembly(files, path.Dir(name), strings.TrimSuffix(base, ".s"), text)
		case strings.HasPrefix(base, "virtual_"):
			files[to] = bytes.Replace(text, []byte(virtualTag), nil, 1)
		default:
			files[to] = text
		}
	}
	return files, nil
}

// addAssembly adds one assembly file of the package in dir, the declarations of its functions beside
// it, and the directives that link them to those in the package. The
// functions are those that a comment "// func name(…) …" declares. Both sides
// name each function in a go:linkname: from Go 1.27 on the linker lets a package
// pull a function of another only if that one offers it so (checkLinkname in
// cmd/link/internal/loader).
func addAssembly(files map[string][]byte, dir, base string, text []byte) {
	packageName := path.Base(dir)
	var constraint, offers, pulls strings.Builder
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if strings.HasPrefix(line, "//go:build ") {
			constraint.WriteString(line + "\n")
		}
		decl, ok := strings.CutPrefix(line, "// func ")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(decl, "(")
		offers.WriteString("\n//go:linkname " + name + "\n//go:noescape\nfunc " + decl)
		pulls.WriteString("\n//go:linkname " + name + " " + assembly + "." + name + "\n")
	}
	beside := assembly + "/markgen_" + packageName + "_" + base
	files[beside+".s"] = text
	files[beside+".go"] = []byte(constraint.String() +
		"package runtime\n\nimport _ \"unsafe\" // for go:linkname\n" + offers.String())
	files[Virtual+"/"+dir+"/link_"+base+".go"] = []byte(constraint.String() +
		"package " + packageName + "\n\nimport (\n\t_ \"" + assembly + "\"\n\t_ \"unsafe\" // for go:linkname\n)\n" + pulls.String())
}
