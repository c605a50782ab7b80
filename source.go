// Package markgen holds what the other packages need of the module as a whole.
package markgen

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
)

// RuntimeSource is the source of package runtime, from which the runtime of an
// overlay build is made.
//
//go:embed runtime/*.go runtime/*.s
var RuntimeSource embed.FS

const (
	// Path is the path of this module.
	Path = "github.com/markgen/markgen"

	// VendoredRuntime is the directory below a module's root that holds the
	// module's own copy of the runtime, if it has one (markgen init -vendor).
	VendoredRuntime = "internal/markgen/perf"

	// VirtualRuntime is the import path of the runtime in an overlay build: a
	// directory below GOROOT/src that exists in the overlay only, so that every
	// package may import it without an entry in any go.mod.
	VirtualRuntime = "markgen/perf"

	// assembly is where the assembly of the virtual runtime is put. The go
	// command runs the assembler inside the package's directory, so it has to
	// exist; this one does, and holds no package of its own.
	assembly = "internal/runtime"

	// virtualTag and deepTag keep files out that are for overlay builds, and for deep ones.
	virtualTag = "markgen_virtual && "
	deepTag    = "markgen_deep && "
)

// IsRuntime says whether an import path is that of the runtime, in any of its
// places. It is what markers call, so it has none.
func IsRuntime(path string) bool {
	return path == VirtualRuntime || path == Path+"/runtime" || strings.HasSuffix(path, "/"+VendoredRuntime)
}

// VirtualFiles are the files of the virtual runtime, by their slash-separated
// paths below GOROOT/src. They are those of package runtime, save that
// virtual_*.go lose the tag that keeps them out there, that module_*.go are left out, and that assembly moves to a package
// next door, from which the functions are linked. For a deep build (package
// overlay/deep) deep_*.go take the place of plain_*.go.
func VirtualFiles(deep bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	names, err := fs.Glob(RuntimeSource, "runtime/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(RuntimeSource, name)
		if err != nil {
			return nil, err
		}
		base := path.Base(name)
		switch {
		case strings.HasSuffix(base, "_test.go"), strings.HasPrefix(base, "module_"):
		case strings.HasPrefix(base, "plain_") && deep, strings.HasPrefix(base, "deep_") && !deep:
		case strings.HasPrefix(base, "deep_"):
			files[VirtualRuntime+"/"+base] = bytes.Replace(text, []byte(deepTag), nil, 1)
		case strings.HasPrefix(base, "virtual_"):
			files[VirtualRuntime+"/"+base] = bytes.Replace(text, []byte(virtualTag), nil, 1)
		case strings.HasSuffix(base, ".s"):
			addAssembly(files, strings.TrimSuffix(base, ".s"), text)
		default:
			files[VirtualRuntime+"/"+base] = text
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
	files[VirtualRuntime+"/link_"+base+".go"] = []byte(constraint.String() +
		"package runtime\n\nimport (\n\t_ \"" + assembly + "\"\n\t_ \"unsafe\" // for go:linkname\n)\n" + pulls.String())
}
