package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
)

// A change is named with the path on which most of it happened, if the marker is on several.
func TestPathOfChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	run := func(metric string, grows func(label Label) (count int, ns float64)) *Result {
		return sides(t, Options{Metric: metric, Counts: CountsBeside}, func(label Label, _ int) *profile.Profile {
			n, ns := grows(label)
			main, slow, quick := marker(0, []uint64{1e6}), times(r, n, ns), times(r, 100, 1000)
			p := of(main, marker(1, append(slow, quick...)))
			sum := func(list []uint64) (ns uint64) {
				for _, t := range list {
					ns += t
				}
				return ns
			}
			p.Paths = profile.NewPaths([]profile.Path{
				{Parent: -1, ID: main.ID, Count: 1, SumNS: 1e6},
				{Parent: 0, ID: p.Markers[1].ID, Label: "a", Count: uint64(n), SumNS: sum(slow), SelfNS: sum(slow)},
				{Parent: 0, ID: p.Markers[1].ID, Label: "b", Count: 100, SumNS: sum(quick), SelfNS: sum(quick)},
			})
			p.Paths.Runs = 1
			return p
		})
	}
	want := []PathStep{{ID: marker(0, nil).ID, Name: marker(0, nil).Name}, {ID: marker(1, nil).ID, Name: marker(1, nil).Name, Label: "a"}}
	slower := run("mean", func(label Label) (int, float64) { return 100, 1000 + 1000*float64(label) })
	m := found(t, slower, 1)
	if m.Verdict != Worse || m.Path == nil || m.Path.Of != 2 || m.Path.Share < 0.9 {
		t.Fatalf("%+v", m)
	}
	if diff := cmp.Diff(want, m.Path.Steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if m := found(t, slower, 0); m.Path != nil {
		t.Errorf("a marker that did not change changed on %+v", m.Path)
	}
	more := run("count", func(label Label) (int, float64) { return 100 - 50*int(label), 1000 })
	if m := found(t, more, 1); m.Verdict != Better || m.Path == nil || m.Path.Share != 1 || m.Path.Steps[1].Label != "a" {
		t.Errorf("%+v", m)
	}
	if len(more.Counted) != 1 || more.Counted[0].Path == nil || more.Counted[0].Path.Steps[1].Label != "a" {
		t.Errorf("%+v", more.Counted)
	}
}
