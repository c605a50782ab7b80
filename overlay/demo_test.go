package overlay_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// TestDemo runs the demo application as in the documentation and checks the predictable parts of
// its report.
func TestDemo(t *testing.T) {
	t.Parallel()
	markgen := trapMarkgen(t)
	dir := trapCopy(t, nil, "demo")
	data := filepath.Join(t.TempDir(), "demo.markgen")
	plain := trapMust(t, dir, nil, "go", "run", ".", "-lines", "20000")
	run := trapMust(t, dir, nil, markgen, "run", "-report", "none", "-o", data, ".", "-lines", "20000")
	if run.stdout != plain.stdout {
		t.Errorf("stdout differs\n%s", trapDiff(run.stdout, plain.stdout))
	}
	var report stmtReport
	text := trapMust(t, dir, nil, markgen, "report", "-format", "json", data).stdout
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]uint64)
	for _, m := range report.Markers {
		counts[m.Name] = m.Count
	}
	const p = "example.com/demo."
	bad := counts[p+"generate:garbage.then"]
	for name, want := range map[string]uint64{
		p + "main:generate":     1,
		p + "main:analyse":      1,
		p + "parse":             20000,
		p + "(*site).read:line": 20000,
	} {
		if n, ok := counts[name]; !ok || n != want {
			t.Errorf("%s: %d scopes, want %d", name, n, want)
		}
	}
	hit, miss := counts[p+"(*resolver).name:cache.then"], counts[p+"(*resolver).name:cache.else"]
	if hit+miss != 20000-bad || miss == 0 || miss > hit {
		t.Errorf("the cache was hit %d times and missed %d times, for %d lines that were understood", hit, miss, 20000-bad)
	}
	if _, ok := counts[p+"(*resolver).unlink"]; ok {
		t.Error("a function below //perf:skip has a marker")
	}
}
