package runfile_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/layout"
)

// The figures of each marker are exactly the sums over its paths, whatever the program's goroutines
// do, and whatever else is recorded.
func TestPathsAddUp(t *testing.T) {
	dir := t.TempDir() // those of subtests have commas
	worker := filepath.Join(dir, "pathworker")
	if out, err := exec.Command("go", "build", "-o", worker, "./testdata/pathworker").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	samples := func(spec string) bool {
		return strings.Contains(spec, "sample") && !strings.HasSuffix(spec, "=1:1")
	}
	run := func(t *testing.T, spec, seed string) *profile.Profile {
		t.Helper()
		file := filepath.Join(dir, "data")
		rounds := "30"
		if samples(spec) {
			rounds = "1000" // markers are sampled from their thousandth scope on
		}
		cmd := exec.Command(worker, seed, rounds)
		cmd.Env = append(os.Environ(), "MARKGEN=file="+file+","+spec)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v\n%s", err, out)
		}
		p, err := runfile.Read(file)
		if err != nil || p.Damaged {
			t.Fatal(err, p)
		}
		return p
	}
	for _, spec := range []string{"paths", "paths=20", "paths,unfolded", "paths=200,unfolded", "paths,outermost", "paths,callers", "paths,pairs",
		"paths,collect=alloc", "paths,collect=time+trace", "paths,demote=1:1000", "paths,enough=100", "paths,throttle=100:1000000",
		"paths,pause=count:w.F03:20,resume=count:w.F04:10", "paths,only=w.F0?;w.F23", "paths,sample=1:1", "paths,sample=1:5", "paths,sample=1:20,seed=3", "paths,sample=1:1000", "paths,sample=1:5,collect=alloc", "paths,sample=1:5,collect=time+trace", "paths,sample=1:3,outermost,pause=count:w.F03:20,resume=count:w.F04:10", "paths,clock=mono",
		"paths,buckets", "paths,unfolded,buckets", "paths,buckets,collect=alloc", "paths,buckets,pause=count:w.F03:20,resume=count:w.F04:10"} {
		t.Run(spec, func(t *testing.T) {
			seeds := []string{"1", "2", "3"}
			if samples(spec) {
				seeds = seeds[:1]
			}
			for _, seed := range seeds {
				p := run(t, spec, seed)
				profiletest.CheckPaths(t, p)
				if len(p.Paths.Nodes) < 10 {
					t.Errorf("%d paths", len(p.Paths.Nodes))
				}
				if limited := strings.Contains(spec, "=20"); limited != (p.Paths.Other() > 0) {
					t.Errorf("%d scopes beyond the limit", p.Paths.Other())
				}
				for i := range p.Paths.Nodes {
					var on []registry.ID
					for _, k := range p.Paths.Chain(i) {
						on = append(on, p.Paths.Nodes[k].ID)
					}
					slices.Sort(on)
					if !strings.Contains(spec, "unfolded") && len(slices.Compact(on)) < len(p.Paths.Chain(i)) {
						t.Errorf("a marker is twice on %v", on)
					}
				}
				if strings.Contains(spec, "buckets") {
					profiletest.CheckPathBuckets(t, p)
				}
				if strings.Contains(spec, "alloc") {
					checkReadings(t, p)
				}
				if sampled := slices.ContainsFunc(p.Markers, func(m profile.Marker) bool { return m.Sampled() }); sampled != samples(spec) {
					t.Errorf("sampled: %v", sampled)
				}
				profiletest.Encoded(t, p)
			}
		})
	}
	if p := run(t, "noself", "1"); p.Paths != nil {
		t.Error("paths without the key")
	}
}

// What a killed process had recorded is there, but for the latest scope of each processor.
func TestPathsKilled(t *testing.T) {
	dir := t.TempDir()
	file, worker := filepath.Join(dir, "data"), filepath.Join(dir, "pathworker")
	if out, err := exec.Command("go", "build", "-o", worker, "./testdata/pathworker").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(worker, "1", "on")
	cmd.Env = append(os.Environ(), "MARKGEN=paths,file="+file)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(stdout).ReadString('\n')
	for scopes := uint64(0); scopes < 100_000; { // its goroutines go on until it is killed
		p, err := runfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		scopes = 0
		for i := range p.Markers {
			scopes += p.Markers[i].Count
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	p, err := runfile.Read(file)
	if err != nil || p.Damaged || p.Complete {
		t.Fatal(err, p)
	}
	scopes, onPaths := 0, 0
	for i := range p.Paths.Nodes {
		onPaths += int(p.Paths.Nodes[i].Count)
	}
	for i := range p.Markers {
		scopes += int(p.Markers[i].Count)
	}
	if less := scopes - onPaths; less < 0 || less > runtime.NumCPU() {
		t.Errorf("%d scopes, %d on paths", scopes, onPaths)
	}
}

// The paths of a file have the names of their markers, labels and readings.
func TestPaths(t *testing.T) {
	p := profiletest.Load(t, profiletest.DemoPathRun().File())
	want := []string{
		"[00000000000000a1] 2 scopes, 2400 ns, self 200, 2400 bytes",
		"[00000000000000a1 00000000000000a2:GET /] 10 scopes, 2080 ns, self 1800, 2080 bytes",
		"[00000000000000a1 00000000000000a2:GET / go 00000000000000a1:other] 6 scopes, 6 ns, self 6, 6 bytes",
		"[00000000000000a1 0000000000000000] 0 scopes, 0 ns, self 0, 0 bytes",
	}
	var got []string
	for i := range p.Paths.Nodes {
		n, names := &p.Paths.Nodes[i], []string{}
		for _, k := range p.Paths.Chain(i) {
			at := &p.Paths.Nodes[k]
			name := at.ID.String()
			if at.Go {
				name = "go " + name
			}
			if at.Label != "" {
				name += ":" + at.Label
			}
			names = append(names, name)
		}
		read := profile.Marker{Readings: n.Readings}
		got = append(got, fmt.Sprintf("%v %d scopes, %d ns, self %d, %d bytes", names, n.Count, n.TotalNS(), n.SelfNS, read.Reading("io").Value("write_bytes").Total()))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A damaged block of the tree is named, and everything else is read.
func TestPathsDamaged(t *testing.T) {
	run := profiletest.DemoPathRun()
	run.Values, run.Tables[0].Read = nil, nil
	run.Paths[0].Buckets = []profile.Bucket{{K: 9, Count: 1, SumNS: 600}, {K: 8, Count: 2, SumNS: 600}}
	sound := run.File()
	want := []profile.Bucket{{K: 8, Count: 4, SumNS: 1200}, {K: 9, Count: 2, SumNS: 1200}} // on two processors
	if p := profiletest.Load(t, sound); p.Damaged || !slices.Equal(p.Paths.Nodes[0].Buckets, want) {
		t.Fatalf("buckets %v, want %v; %q", p.Paths.Nodes[0].Buckets, want, p.Warnings)
	}
	for _, tt := range []struct {
		kind    uint32
		nth, at int
		word    uint64
		want    string
		left    int // nodes
	}{
		{layout.BlockPath, 1, layout.OffPathParent, 77, "path 4 inside path 77, which is not in the file; it is left out", 2},
		{layout.BlockPath, 3, layout.OffPathNode, 3, "a second path with the number 3; it is left out", 3},
		{layout.BlockPath, 1, layout.OffPathLabel, 9, "path 4 with label 9, which is not in the file; it is left out", 2},
		{layout.BlockPathCell, 1, layout.PathCellNode, 77, "a cell of path 77, which is not in the file; it is left out", 4},
		{layout.BlockPathCell, 2, layout.PathCellNode, 3, "a second cell of path 3 on processor 0; it is left out", 4},
		{layout.BlockPathBuckets, 1, layout.PathBucketsNode, 8<<32 | 77, "buckets 8 of path 77; they are left out", 4},
		{layout.BlockPathBuckets, 1, layout.PathBucketsNode, 9<<32 | 3, "buckets 9 of path 3; they are left out", 4},
		{layout.BlockPathBuckets, 1, layout.PathBucketsNode, 66<<32 | 3, "buckets 66 of path 3; they are left out", 4},
		{layout.BlockLabel, 0, layout.OffLabelLen, 1 << 40, "label 2 of 1099511627776 bytes in a block of 64; it is left out", 2},
	} {
		file := bytes.Clone(sound)
		at := profiletest.BlockAt(t, file, tt.kind, tt.nth)
		binary.LittleEndian.PutUint64(file[at+tt.at:], tt.word)
		p := profiletest.Load(t, file)
		if len(p.Warnings) == 0 || !strings.HasSuffix(p.Warnings[0], fmt.Sprintf("offset %d: %s", at, tt.want)) || !p.Damaged {
			t.Errorf("%s: %q", tt.want, p.Warnings)
		}
		if len(p.Paths.Nodes) != tt.left || p.Markers[0].Count == 0 {
			t.Errorf("%s: %d paths, want %d", tt.want, len(p.Paths.Nodes), tt.left)
		}
	}
}

// checkReadings checks that the readings of markers are the sums over their paths.
func checkReadings(t *testing.T, p *profile.Profile) {
	t.Helper()
	sums := map[registry.ID]*profile.Marker{}
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		if sums[n.ID] == nil {
			sums[n.ID] = &profile.Marker{}
		}
		sums[n.ID].Add(&profile.Marker{Readings: n.Readings})
	}
	read := 0
	for i := range p.Markers {
		m := &p.Markers[i]
		for _, r := range m.Readings {
			of := sums[m.ID].Reading(r.Collector)
			if of == nil || of.Scopes != r.Scopes || of.Dropped != r.Dropped {
				t.Errorf("%s: %+v, of its paths %+v", m.Name, r, of)
				continue
			}
			for _, v := range r.Values {
				if w := of.Value(v.Name); w == nil || w.Sum != v.Sum || w.Self != v.Self || w.Nested != v.Nested {
					t.Errorf("%s: %s %d, of its paths %+v", m.Name, v.Name, v.Sum, w)
				}
			}
			read++
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}
