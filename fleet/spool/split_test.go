//go:build unix

package spool

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// The batches of a profile with call paths are small, and add up to it.
func TestSplitPaths(t *testing.T) {
	p := profiletest.Random(60, 1)
	p.Main = "example.com/shop"
	for i := range p.Markers {
		m := &p.Markers[i]
		m.Package, m.Kind, m.Name = "example.com/shop", "func", "example.com/shop."+m.ID.String()
	}
	p.Paths = profiletest.CallTree(p, 1500, 1)
	a, left := Anonymous(p, true)
	if left > 0 {
		t.Fatalf("%d markers are left out", left)
	}
	const most = 4 << 10
	bodies, err := split(a, most)
	if err != nil {
		t.Fatal(err)
	}
	var sum profile.Sum
	for i, body := range bodies {
		part, err := codec.Decode(body, "batch")
		if err != nil {
			t.Fatal(err)
		}
		if len(body) > most && part.Paths != nil && len(withFigures(part.Paths)) > 1 {
			t.Errorf("batch %d of %d has %d bytes", i, len(bodies), len(body))
		}
		sum.Add(part)
	}
	got := sum.Profile()
	if diff := cmp.Diff(p.Paths, got.Paths); diff != "" {
		t.Errorf("(-profile +batches)\n%s", diff)
	}
	if got.Runs != a.Runs || got.ElapsedNS != a.ElapsedNS {
		t.Errorf("%d runs of %d ns, want %d of %d ns", got.Runs, got.ElapsedNS, a.Runs, a.ElapsedNS)
	}
	count := func(p *profile.Profile) (n uint64) {
		for _, m := range p.Markers {
			n += m.Count
		}
		return n
	}
	if count(got) != count(a) {
		t.Errorf("%d scopes, want %d", count(got), count(a))
	}
}

// A batch has no more paths than the service takes (server.Options.MaxMarkers), however many bytes it
// may have.
func TestSplitManyPaths(t *testing.T) {
	p := profiletest.Random(60, 1)
	p.Paths = profiletest.CallTree(p, 30_000, 1)
	bodies, err := split(p, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, body := range bodies {
		d := codec.Decoder{MaxPaths: 20_000}
		var sum profile.Sum
		if err := d.AddTo(&sum, body, "batch"); err != nil {
			t.Fatal(err)
		}
		with += len(withFigures(sum.Finish().Paths))
	}
	if want := len(p.Paths.Nodes); with != want || want <= 20_000 {
		t.Errorf("%d paths with figures in %d batches, want %d", with, len(bodies), want)
	}
}

// A batch of paths that is too large for the service is split until a path is alone.
func TestResplitPaths(t *testing.T) {
	list := make([]profile.Path, 40) // one long path
	for i := range list {
		list[i] = profile.Path{Parent: i - 1, ID: 1, Count: 1}
	}
	p := &profile.Profile{Main: "example.com/shop", Markers: []profile.Marker{{ID: 1, Name: "example.com/shop.f", Package: "example.com/shop", Kind: "func"}}, Paths: profile.NewPaths(list)}
	for n := 0; ; n++ {
		bodies, err := split(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = codec.Decode(bodies[len(bodies)-1], "batch"); err != nil {
			t.Fatal(err)
		}
		if len(withFigures(p.Paths)) == 1 {
			break
		}
		if n > 10 {
			t.Fatal("it does not end")
		}
	}
}

// Call paths are sent when asked for: of a running process what is new, and of one that has sent its
// markers already all that it has.
func TestSendPaths(t *testing.T) {
	for _, first := range []bool{true, false} {
		dir, r := t.TempDir(), newReceiver(t)
		early, whole := profiletest.DemoPathRun(), profiletest.DemoPathRun()
		for i := range whole.Paths {
			for k := range whole.Paths[i].Figures {
				whole.Paths[i].Figures[k] *= 3
			}
		}
		name := leave(t, dir, early.File())
		end := live(t, name)
		s := opened(t, dir)
		push := func(paths bool) {
			t.Helper()
			packed, err := s.Pack(t.Context(), PackOptions{Paths: paths})
			if err != nil || len(packed.Notes)+len(packed.Unreadable) > 0 {
				t.Fatal(packed, err)
			}
			if _, err := s.Send(t.Context(), r.options()); err != nil {
				t.Fatal(err)
			}
		}
		push(first)
		grow(t, name, whole.File())
		end()
		push(true)
		want, err := runfile.ReadFrom(bytes.NewReader(whole.File()), int64(len(whole.File())), "run")
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Paths.Nodes {
			n := &want.Paths.Nodes[i]
			n.Readings = known(n.Readings) // not those of the program's own collectors
		}
		want.Paths.Nodes = profile.NewPaths(pathsTo(want.Paths.Nodes, withFigures(want.Paths))).Nodes
		if diff := cmp.Diff(want.Paths, r.sum().Paths); diff != "" {
			t.Errorf("paths first %v (-run +sent)\n%s", first, diff)
		}
	}
}
