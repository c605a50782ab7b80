package overlay_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/tier"
)

// What functions of known shapes measure shows these shapes. Each is a property of several
// runs added up. On a machine that does other things at the same time some data are too bad for a
// decision, so a few more tries are made; what is decided is to be right more often than wrong.
func TestMeasuredShapes(t *testing.T) {
	tier.Corpus(t)
	source, err := os.ReadFile("testdata/shapes/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"go.mod": []byte("module shapes\n\ngo 1.26\n"), "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"GOFLAGS=", "GOWORK=off", "MARKGEN="}
	trapMust(t, dir, environ, trapMarkgen(t), "build", "-sizes", "-o", "shapes", ".")

	orders := map[string]string{
		"sortInts":      "O(n log n)",
		"slicesSort":    "O(n log n)",
		"lookUp":        "O(1)",
		"appendOne":     "O(1)",
		"build":         "O(n)",
		"linear":        "O(n)",
		"sorted.binary": "O(log n)",
		"pairs":         "O(n²)",
	}
	others := map[string]func(s *shape.Shape) bool{
		"constant": func(s *shape.Shape) bool { return s.Steady.Verdict == shape.Yes && s.Startup.Verdict == shape.No },
		"cache": func(s *shape.Shape) bool {
			slow := s.Modes.List[len(s.Modes.List)-1]
			return s.Modes.Verdict == shape.Yes && slow.Share > 0.1 && slow.Share < 0.4 && slow.TimeShare > 0.9
		},
		"lazy":   func(s *shape.Shape) bool { return s.Startup.Verdict == shape.Yes && s.Startup.Runs == 3 },
		"tailed": func(s *shape.Shape) bool { return s.Tail.Verdict == shape.Yes && s.Tail.Index < 2 },
	}
	found := map[string]bool{}
	last := map[string]string{}
	wrong := map[string]int{}  // how often more than right
	likely := map[string]int{} // how often more than another one, where none is decided for
	for range 8 {
		var sum profile.Sum
		for run := range 3 {
			data := filepath.Join(dir, "data")
			// The number of arguments is the seed.
			trapMust(t, dir, []string{"MARKGEN=file=" + data}, filepath.Join(dir, "shapes"), strings.Fields(strings.Repeat("x ", run))...)
			if err := sum.AddFile(data); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(data); err != nil {
				t.Fatal(err)
			}
		}
		p := sum.Profile()
		if len(p.Warnings) > 0 {
			t.Fatal(p.Warnings)
		}
		known := shape.For(p)
		for i := range p.Markers {
			m := &p.Markers[i]
			name := strings.TrimPrefix(m.Name, "shapes.")
			s := shape.Of(m, known)
			if want := orders[name]; want != "" {
				switch s.Growth.Order {
				case want:
					found[name] = true
					wrong[name]--
				case "":
					if or := s.Growth.Or; len(or) > 0 && or[0].Order == want {
						likely[name]++
					} else {
						likely[name]--
					}
				default:
					wrong[name]++
					t.Logf("%s is taken for %s", name, s.Growth.Evidence)
				}
			} else if f := others[name]; f != nil {
				found[name] = found[name] || f(&s)
			}
			last[name] = fmt.Sprint(s.Labels(), s.Evidence())
		}
		if len(found) == len(orders)+len(others) && !slices.Contains(slices.Collect(maps.Values(found)), false) {
			return
		}
	}
	for name, evidence := range last {
		if wrong[name] > 0 {
			t.Errorf("%s is taken for something else more often than not", name)
		}
		if !found[name] && likely[name] <= 0 && (orders[name] != "" || others[name] != nil) {
			t.Errorf("%s is not recognised: %s", name, evidence)
		}
	}
}
