package overlay_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

// Counts stay exact when markers are demoted while goroutines execute them, in every form, and
// however their scopes end.
func TestDemoted(t *testing.T) {
	tier.Test(t)
	for _, form := range append([]string{""}, rewrite.Forms...) {
		t.Run("form "+form, func(t *testing.T) {
			t.Parallel()
			dir := trapModule(t, "demote")
			program := filepath.Join(dir, "program")
			trapMust(t, dir, []string{"GOWORK=off"}, trapMarkgen(t), "build", "-all", "-form="+form, "-o", program, ".")
			run := func(keys string) *profile.Profile {
				data := filepath.Join(t.TempDir(), "data.markgen")
				trapMust(t, dir, []string{"MARKGEN=file=" + data + keys}, program, "2000")
				p, err := runfile.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			want := run("")
			for range 10 { // goroutines interleave differently each time
				checkDemoted(t, want, run(",demote=100:1000000"))
			}
		})
	}
}

// The mean time of a marker is also estimated from later scopes: the first 20,000 take almost no
// time here.
func TestTimedAgain(t *testing.T) {
	t.Parallel()
	dir := trapModule(t, "later")
	program := filepath.Join(dir, "program")
	trapMust(t, dir, []string{"GOWORK=off"}, trapMarkgen(t), "build", "-funcs", "-o", program, ".")
	data := filepath.Join(dir, "data.markgen")
	out := trapMust(t, dir, []string{"MARKGEN=demote=10000:1000000,file=" + data}, program).stdout
	var thousand, sum float64
	if _, err := fmt.Sscan(out, &thousand, &sum); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	p, err := runfile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Name != "example.com/later.search" {
			continue
		}
		if !m.Demoted() || m.Count < 20_000 {
			t.Fatalf("%s: %d scopes, of which %d were timed", m.Name, m.Count, m.Measured())
		}
		// By the first scopes alone it would be a thousandth. There is no upper limit, since other
		// load makes some scopes longer.
		if mean := m.MeanNS(); mean < thousand/1000/4 {
			t.Errorf("%s: %.0f ns by %d of %d scopes; at best they take %.0f ns", m.Name, mean, m.Measured(), m.Count, thousand/1000)
		}
		return
	}
	t.Fatal("no marker search")
}

// checkDemoted compares a run in which markers were demoted with one in which all scopes were
// timed.
func checkDemoted(t *testing.T, want, got *profile.Profile) {
	t.Helper()
	demoted, self := 0, uint64(0)
	for i := range want.Markers {
		w, g := &want.Markers[i], &got.Markers[i]
		if g.Name != w.Name || g.Count+g.Open != w.Count+w.Open { // the last goroutine that main waits for may not have ended yet
			t.Errorf("%s: %d scopes, of which %d were timed; %s: %d where all are", g.Name, g.Count, g.Measured(), w.Name, w.Count)
		}
		if g.Demoted() {
			demoted++
			self += g.SelfNS
			if g.Measured() < 100 || g.Measured() > g.Count || g.Timed() != g.Count && g.Open == 0 && w.Timed() == w.Count {
				t.Errorf("%s: %d scopes, %d of them timed, %d with times", g.Name, g.Count, g.Measured(), g.Timed())
			}
		}
	}
	if cpu := got.Cost.CPUNS; self > cpu+cpu/100 {
		t.Errorf("self times of demoted markers add up to %d ns, in %d of processor time", self, cpu)
	}
	if demoted < 10 {
		t.Errorf("%d markers were demoted", demoted)
	}
}
