package overlay

import (
	"slices"
	"testing"

	"github.com/markgen/markgen/profile"
)

// The text of go test about the coverage of a package: of its own blocks, or of those in all
// packages that match -coverpkg and are in the binary.
func TestCoverageResult(t *testing.T) {
	blocks := func(file string, counts ...uint64) (list []profile.Block) {
		for i, n := range counts {
			b := profile.Block{Count: n}
			b.File, b.StartLine, b.NumStmt = file, i+1, 2
			list = append(list, b)
		}
		return list
	}
	a, b, other := blocks("a.go", 1, 0, 3), blocks("b.go", 0, 1), blocks("other.go", 0)
	c := &coverage{
		collection: &Collection{dir: t.TempDir()},
		packages:   []*task{{Package: &Package{ImportPath: "m/a"}}, {Package: &Package{ImportPath: "m/b", DepOnly: true}}, {Package: &Package{ImportPath: "m/other", DepOnly: true}}, {Package: &Package{ImportPath: "m/empty"}}},
		blocks:     map[string][]profile.Block{"m/a": a, "m/b": b, "m/other": other, "m/empty": nil},
		data:       map[string]map[blockAt]profile.Block{"m/a": {}},
	}
	for _, b := range slices.Concat(a, b) {
		c.data["m/a"][at(b)] = b
	}
	for _, tt := range []struct {
		path     string
		tests    bool
		patterns []string
		want     string
	}{
		{"m/a", true, nil, "66.7% of statements"},
		{"m/a", true, []string{"m/...", "x"}, "60.0% of statements in m/..., x"},
		{"m/empty", true, nil, "[no statements]"},
		{"m/other", false, nil, "0.0% of statements"},
		{"m/other", false, []string{"m/..."}, "0.0% of statements"},
		{"m/empty", false, nil, ""},
		{"m/none", false, nil, ""},
	} {
		c.patterns = tt.patterns
		if got := c.result(tt.path, tt.tests); got != tt.want {
			t.Errorf("%s of %q: %q, want %q", tt.path, tt.patterns, got, tt.want)
		}
	}
}
