// Package runtime has the source of what marked programs import, package perf, for the command: an overlay build compiles it
// as a package of the standard library, and markgen init -vendor copies it into a module.
package runtime

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
)

// Source is the source of package perf, in a directory of that name.
//
//go:embed perf/*.go perf/*.s
var Source embed.FS

const (
	// Module is the path of this module.
	Module = "github.com/markgen/markgen/runtime"

	// Perf is the import path of package perf for programs that require the module.
	Perf = Module + "/perf"

	// VendoredPerf is the directory below a module's root that holds the
	// module's own copy of package perf, if it has one (markgen init -vendor).
	VendoredPerf = "internal/markgen/perf"

	// VirtualPerf is the import path of package perf in an overlay build: a
	// directory below GOROOT/src that exists in the overlay only, so that every
	// package may import it without an entry in any go.mod.
	VirtualPerf = "markgen/perf"

	// assembly is where the assembly of the virtual runtime is put. The go
	// command runs the assembler inside the package's directory, so it has to
	// exist; this one does, and holds no package of its own.
	assembly = "internal/runtime"

	// virtualTag and deepTag keep files out that are for overlay builds, and for deep ones.
	virtualTag = "markgen_virtual && "
	deepTag    = "markgen_deep && "
)

// IsPerf says whether an import path is that of package perf, in any of its
// places. It is what markers call, so it has none.
func IsPerf(path string) bool {
	return path == VirtualPerf || path == Perf || strings.HasSuffix(path, "/"+VendoredPerf)
}

// VirtualFiles are the files of package perf in an overlay build, by their slash-separated
// paths below GOROOT/src. They are its own, save that
// virtual_*.go lose the tag that keeps them out there, that module_*.go are left out, and that assembly moves to a package
// next door, from which the functions are linked. For a deep build (package
// overlay/deep) deep_*.go take the place of plain_*.go.
func VirtualFiles(deep bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	names, err := fs.Glob(Source, "perf/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(Source, name)
		if err != nil {
			return nil, err
		}
		base := path.Base(name)
		switch {
		case strings.HasSuffix(base, "_test.go"), strings.HasPrefix(base, "module_"):
		case strings.HasPrefix(base, "plain_") && deep, strings.HasPrefix(base, "deep_") && !deep:
		case strings.HasPrefix(base, "deep_"):
			files[VirtualPerf+"/"+base] = bytes.Replace(text, []byte(deepTag), nil, 1)
		case strings.HasPrefix(base, "virtual_"):
			files[VirtualPerf+"/"+base] = bytes.Replace(text, []byte(virtualTag), nil, 1)
		case strings.HasSuffix(base, ".s"):
			addAssembly(files, strings.TrimSuffix(base, ".s"), text)
		default:
			files[VirtualPerf+"/"+base] = text
		}
	}
	return files, nil
}

// addAssembly adds one assembly file, the declarations of its functions beside
// it, and the directives that link them to those in the virtual runtime. The
// functions are those that a comment "// func name(…) …" declares. Both sides
// name each function in a go:linkname: from Go 1.27 on the linker lets a package
// pull a function of another only if that one offers it so (checkLinkname in
// cmd/link/internal/loader).
func addAssembly(files map[string][]byte, base string, text []byte) {
	var constraint, offers, pulls strings.Builder
	for line := range strings.Lines(string(text)) {
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
	if offers.Len() == 0 {
		return // it only lets functions without a body be declared
	}
	files[assembly+"/markgen_"+base+".s"] = text
	files[assembly+"/markgen_"+base+".go"] = []byte(constraint.String() +
		"package runtime\n\nimport _ \"unsafe\" // for go:linkname\n" + offers.String())
	files[VirtualPerf+"/link_"+base+".go"] = []byte(constraint.String() +
		"package perf\n\nimport (\n\t_ \"" + assembly + "\"\n\t_ \"unsafe\" // for go:linkname\n)\n" + pulls.String())
}
