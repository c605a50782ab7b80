package overlay_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// TestForms runs a program with functions of all shapes, in every form, and compares the counts
// with those that the program itself prints.
func TestForms(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	markgen := trapMarkgen(t)
	dir := trapCopy(t, nil, "forms")
	told := func(stdout string) (lines, passed []string) {
		for line := range strings.Lines(stdout) {
			if rest, ok := strings.CutPrefix(line, "passed "); ok {
				passed = append(passed, strings.TrimSpace(rest))
			} else {
				lines = append(lines, line)
			}
		}
		slices.Sort(passed)
		return lines, passed
	}
	plain, want := told(trapMust(t, dir, nil, "go", "run", ".").stdout)
	for _, flags := range [][]string{nil, {"-form", "open"}, {"-form", "twin"}, {"-form", "guarded"}} {
		for _, race := range []string{"", "-race"} {
			t.Run(strings.Join(append(flags, race), " "), func(t *testing.T) {
				if race != "" && len(flags) > 0 { // the other forms are like the selected ones
					tier.Corpus(t)
				}
				t.Parallel()
				data := filepath.Join(t.TempDir(), "forms.markgen")
				args := append([]string{"run", "-all", "-report", "none", "-o", data}, flags...)
				if race != "" {
					args = append(args, race)
				}
				stdout, _ := told(trapMust(t, dir, nil, markgen, append(args, ".")...).stdout)
				if !slices.Equal(stdout, plain) {
					t.Errorf("stdout differs\n%s", trapDiff(strings.Join(stdout, ""), strings.Join(plain, "")))
				}
				var report stmtReport
				if err := json.Unmarshal([]byte(trapMust(t, dir, nil, markgen, "report", "-format", "json", data).stdout), &report); err != nil {
					t.Fatal(err)
				}
				counts := map[string]uint64{}
				for _, m := range report.Markers {
					counts[strings.TrimPrefix(m.Name, "example.com/forms/lib.")] = m.Count
				}
				for _, line := range want {
					var name string
					var n uint64
					fmt.Sscan(line, &name, &n)
					if counts[name] != n {
						t.Errorf("%s: %d scopes, want %d", name, counts[name], n)
					}
				}
			})
		}
	}
}
