package runtime

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// The module requires nothing, and its go line is what init says. (go work sync raises it to that of other modules.)
func TestModule(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "module "+Module+"\n\ngo "+GoVersion+"\n"; got != want {
		t.Errorf("go.mod is\n%s\nwant\n%s", got, want)
	}
}

// Source leaves no file of a package out, and has no test.
func TestSource(t *testing.T) {
	got, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		ext := path.Ext(name)
		if err == nil && (ext == ".go" || ext == ".s") && strings.Contains(name, "/") && !strings.HasSuffix(name, "_test.go") {
			want = append(want, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Source has %q\nwant %q; the name of a file must not end in st.go", got, want)
	}
}

// Parts of the runtime are known wherever they are, and nothing else is taken for one.
func TestIsPart(t *testing.T) {
	for path, want := range map[string]bool{
		Perf: true, VirtualPerf: true, Module + "/layout": true, Virtual + "/layout": true, Module + "/config": true, Virtual + "/glob": true, Virtual + "/internal/platform": true,
		"example.com/m/internal/markgen/perf": true, "example.com/m/internal/markgen/layout": true,
		Module: false, Virtual: false, "markgen/other": false, "example.com/perf": false, "example.com/m/internal/markgen/other": false,
		Module + "/perf/register.go": false,
	} {
		if IsPart(path) != want {
			t.Errorf("IsPart(%s) = %t", path, !want)
		}
	}
}

// Readers of CPU profiles know the runtime's functions in them.
func TestMarkersPrefix(t *testing.T) {
	if layout.MarkersPrefix != Virtual+"/" {
		t.Errorf("layout.MarkersPrefix is %q, want %q", layout.MarkersPrefix, Virtual+"/")
	}
}

// What the command may import has no part of the runtime in it, and next to nothing of the standard library, which may
// have markers.
func TestImports(t *testing.T) {
	names, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if dir, _, _ := strings.Cut(name, "/"); dir == "perf" || dir == "internal" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			switch spec.Path.Value {
			case `"syscall"`, `"unsafe"`, `"` + Module + `/internal/lite"`:
			default:
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
	}
}

// The parts of package perf import nothing of it, and nothing but what it may import itself.
func TestPartImports(t *testing.T) {
	names, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if dir, _, _ := strings.Cut(name, "/"); dir != "internal" || path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			switch value := spec.Path.Value; value {
			case `"runtime"`, `"sync/atomic"`, `"syscall"`, `"unsafe"`, `"math/bits"`:
			default:
				if !strings.HasPrefix(value, `"`+Module+"/") || value == `"`+Perf+`"` {
					t.Errorf("%s imports %s", name, value)
				}
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	text, err := fs.ReadFile(Source, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An overlay build has no import of the module.
func TestVirtualFiles(t *testing.T) {
	for _, deep := range []bool{false, true} {
		files, err := VirtualFiles(deep)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if strings.Contains(string(text), `"`+Module) {
				t.Errorf("%s is as it is in the module", name)
			}
		}
	}
}
