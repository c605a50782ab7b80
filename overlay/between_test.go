//go:build linux && (amd64 || arm64)

package overlay_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// When goroutines enter and leave scopes while one run is stopped and another begins, each scope
// belongs to one of the two: a scope entered in the first is counted or open there, and unknown in
// the second. A goroutine that waits until the switch is over has no such scope.
func TestBetweenRuns(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "between")
	trapMust(t, dir, nil, markgen, "init")
	const workers = 4
	pairs := 30
	if !tier.InCorpus() {
		pairs = 10
	}
	for _, form := range []string{"twin", "open"} {
		exe := filepath.Join(dir, form)
		trapMust(t, dir, nil, markgen, "build", "-form", form, "-o", exe, ".")
		for _, kind := range []string{"open time", "ending time", "waiting time", "open time+io", "ending time+io", "waiting time+io"} {
			t.Run(form+" "+kind, func(t *testing.T) {
				kind, collect, _ := strings.Cut(kind, " ")
				cmd := exec.Command(exe, kind, collect, fmt.Sprint(pairs))
				cmd.Dir = t.TempDir()
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != "done\n" {
					t.Fatalf("%v\n%.3000s", err, out)
				}
				read := func(run string, i int) (p *profile.Profile, outer, inner profile.Marker) {
					p, err := runfile.Read(filepath.Join(cmd.Dir, fmt.Sprintf("%s%d.markgen", run, i)))
					if err != nil {
						t.Fatal(err)
					}
					for _, m := range p.Markers {
						switch m.Name {
						case "example.com/between.outer":
							outer = m
						case "example.com/between.inner":
							inner = m
						}
					}
					return p, outer, inner
				}
				wrong := 0
				for i := range pairs {
					one, outer, _ := read("one", i)
					_, second, inner := read("two", i)
					had := outer.Count + outer.Open
					ok := had <= workers && had+one.Lost >= workers && second.Count == 0 && second.Open == 0
					if !ok || kind == "waiting" && inner.Count > 0 {
						wrong++
						t.Logf("pair %d: the first run has outer %d times and open %d times, %d are lost, of %d; the second %d and %d, and inner %d times",
							i, outer.Count, outer.Open, one.Lost, workers, second.Count, second.Open, inner.Count)
					}
				}
				if wrong > 0 {
					t.Errorf("%d of %d pairs are wrong", wrong, pairs)
				}
			})
		}
	}
}
