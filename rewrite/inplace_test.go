package rewrite

import (
	"bytes"
	"testing"

	"github.com/markgen/markgen/registry"
)

const testRuntime = "github.com/markgen/markgen/runtime"

// markInPlace marks a unit and returns the texts of all its files.
func markInPlace(t testing.TB, path string, files []Source, o Options, p InPlace) map[string][]byte {
	t.Helper()
	u, err := Load(path, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(o); err != nil {
		t.Fatal(err)
	}
	ids, _ := new(registry.Registry).Assign([]string{path}, u.RegistryPoints())
	u.SetIDs(ids)
	if p.Runtime == "" {
		p.Runtime = testRuntime
	}
	out, err := u.InPlace(p)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// Every file of the standard library can be marked and gets its bytes back; as
// gofmt leaves the original, it leaves the marked one; and marking what was
// marked gives the same.
func TestInPlaceOfStandardLibrary(t *testing.T) {
	var files, unformatted int
	stdPackages(t, func(path string, sources []Source) {
		out := markInPlace(t, path, sources, Options{All: true}, InPlace{})
		for _, f := range sources {
			text, ok := out[f.Name]
			if !ok {
				continue
			}
			files++
			back, err := Strip(f.Name, text)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			if !bytes.Equal(back, f.Text) {
				t.Errorf("%s: not what it was", f.Name)
			}
			if formatted(f.Text) && !formatted(text) {
				unformatted++
				t.Errorf("%s: gofmt would change what was marked", f.Name)
			}
		}
	})
	t.Logf("%d files", files)
}
