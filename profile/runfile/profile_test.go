package runfile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// A demoted marker has the times of the CPU profile in the file. A profile that can't be read is damage
// and nothing else.
func TestDemotedByProfile(t *testing.T) {
	run := profiletest.DemoProfile()
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil || p.Damaged {
		t.Fatal(err, p.Warnings)
	}
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Demoted() {
			if m.Count != 13 || m.SelfNS < 245e6 || m.SelfNS > 247e6 || m.TotalNS() < m.SelfNS {
				t.Errorf("%s: %d scopes, self %d ns of %d; want 13 and 246 ms", m.Name, m.Count, m.SelfNS, m.TotalNS())
			}
		}
	}
	if p.Cost.MarkersNS < 40e6 || p.Cost.MarkersNS > 60e6 {
		t.Errorf("markers cost %d ns, want about 40 ms and what becomes slower around them", p.Cost.MarkersNS)
	}
	run.Profile += "s\t1\t3\n"
	file = run.File()
	if p, err = runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x"); err != nil || !strings.Contains(strings.Join(p.Warnings, "\n"), "line 7 of the CPU profile") {
		t.Errorf("%v, %q", err, p.Warnings)
	}
}
