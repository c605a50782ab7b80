package registry

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// loop returns a point of kind loop, identified by header and body.
func loop(fn string, n int, header string, body uint64) Point {
	return Point{Package: "p", Func: fn, Kind: "loop", Header: header, Body: body,
		Name: fmt.Sprintf("p.%s:for#%d", fn, n), File: "p.go"}
}

func fun(fn string, body uint64) Point {
	return Point{Package: "p", Func: fn, Kind: "func", Header: "func ()", Body: body, Name: "p." + fn, File: "p.go"}
}

var p = []string{"p"}

func TestAssignIsStable(t *testing.T) {
	points := []Point{fun("F", 1), loop("F", 1, "for {", 2), loop("F", 2, "for {", 2), fun("G", 1)}
	ids, reg := new(Registry).Assign(p, points)
	if slices.Contains(ids, 0) || len(distinct(ids)) != len(ids) {
		t.Fatalf("IDs: %v", ids)
	}
	again, reg2 := reg.Assign(p, points)
	if !slices.Equal(ids, again) || !bytes.Equal(reg.Format(), reg2.Format()) {
		t.Errorf("a second time: %v, want %v", again, ids)
	}
	fresh, _ := new(Registry).Assign(p, points)
	if !slices.Equal(ids, fresh) {
		t.Errorf("anew: %v, want %v", fresh, ids)
	}
}

// Entries of a package change only if the package is in packages.
func TestAssignLeavesOtherPackages(t *testing.T) {
	_, reg := new(Registry).Assign(p, []Point{fun("F", 1)})
	q := fun("F", 1)
	q.Package, q.Name = "q", "q.F"
	ids, reg2 := reg.Assign([]string{"q"}, []Point{q})
	if len(reg2.Entries()) != 2 || reg2.Entries()[0] != reg.Entries()[0] {
		t.Errorf("entry of p changed:\n%s", reg2.Format())
	}
	if ids[0] == reg.Entries()[0].ID {
		t.Errorf("q took an ID of p, which was not among the packages")
	}
	// With p in packages, the function has moved.
	ids, reg3 := reg.Assign([]string{"p", "q"}, []Point{q})
	if ids[0] != reg.Entries()[0].ID || len(reg3.Entries()) != 1 {
		t.Errorf("q.F did not take over p.F:\n%s", reg3.Format())
	}
}

func TestAssignRetires(t *testing.T) {
	before := []Point{fun("F", 1), loop("F", 1, "for {", 2)}
	ids, reg := new(Registry).Assign(p, before)
	_, reg = reg.Assign(p, before[:1])
	if e := entryOf(t, reg, ids[1]); !e.Retired {
		t.Errorf("not retired: %+v", e)
	}
	// Another marker does not get the ID.
	other, reg := reg.Assign(p, []Point{fun("F", 1), loop("F", 1, "for i := range n {", 2)})
	if other[1] == ids[1] {
		t.Errorf("a retired ID was given to another marker")
	}
	// The same code gets it back, even with another body.
	back, reg := reg.Assign(p, []Point{fun("F", 1), loop("F", 1, "for i := range n {", 2), loop("F", 2, "for {", 3)})
	if back[2] != ids[1] || back[1] != other[1] {
		t.Errorf("came back as %v, was %v", back, ids)
	}
	if e := entryOf(t, reg, ids[1]); e.Retired || e.Body != 3 {
		t.Errorf("not live: %+v", e)
	}
}

// If a merge leaves two lines of one ID, the source decides.
func TestAssignSettlesMergedLines(t *testing.T) {
	ids, reg := new(Registry).Assign(p, []Point{fun("F", 1), loop("F", 1, "for {", 2), fun("H", 7)})
	_, ours := reg.Assign(p, []Point{fun("F", 1), loop("F", 1, "for i := range n {", 2), fun("H", 7)})
	_, theirs := reg.Assign(p, []Point{fun("F", 1), loop("F", 1, "for {", 3), fun("H", 7)})
	_, gone := reg.Assign(p, []Point{fun("F", 1), fun("H", 7)})
	_, renamed := reg.Assign(p, []Point{fun("G", 1), loop("G", 1, "for {", 2), fun("H", 7)})
	union := union(t, ours, theirs, gone, renamed)
	if n := len(union.Entries()); n != 3 {
		t.Fatalf("%d IDs, want 3:\n%s", n, union.Format())
	}
	tests := []struct {
		name   string
		points []Point
	}{
		{"ours", []Point{fun("F", 1), loop("F", 1, "for i := range n {", 2), fun("H", 7)}},
		{"theirs", []Point{fun("F", 1), loop("F", 1, "for {", 3), fun("H", 7)}},
		{"renamed and ours", []Point{fun("G", 1), loop("G", 1, "for i := range n {", 2), fun("H", 7)}},
		{"renamed and theirs", []Point{fun("G", 1), loop("G", 1, "for {", 3), fun("H", 7)}},
	}
	for _, test := range tests {
		got, reg := union.Assign(p, test.points)
		if !slices.Equal(got, ids) {
			t.Errorf("%s: %v, want %v", test.name, got, ids)
		}
		if n := bytes.Count(reg.Format(), []byte(" live ")); n != 3 || len(reg.entries) != 3 {
			t.Errorf("%s: not one line for each ID:\n%s", test.name, reg.Format())
		}
	}
	_, reg = union.Assign(p, []Point{fun("H", 7)})
	if n := bytes.Count(reg.Format(), []byte(" retired ")); n != 2 || len(reg.entries) != 3 {
		t.Errorf("nothing left: not one retired line for each ID:\n%s", reg.Format())
	}
}

// Branches that each add a loop equal to an existing one may give it the same ID. After the merge
// one of the two loops keeps it, the same one on every machine, and the other gets a new ID.
func TestAssignEqualAdditions(t *testing.T) {
	old := func(n int) Point { return loop("F", n, "for {", 1) }
	mine := func(n int) Point { return loop("F", n, "for {", 2) }
	other := func(n int) Point { return loop("F", n, "for {", 3) }
	base := []Point{old(1)}
	ids, reg := new(Registry).Assign(p, base)
	tests := []struct {
		name                 string
		ours, theirs, merged []Point
	}{
		{"both behind", []Point{old(1), mine(2)}, []Point{old(1), other(2)}, []Point{old(1), mine(2), other(3)}},
		{"before and behind", []Point{old(1), mine(2)}, []Point{other(1), old(2)}, []Point{other(1), old(2), mine(3)}},
		{"both before", []Point{mine(1), old(2)}, []Point{other(1), old(2)}, []Point{other(1), mine(2), old(3)}},
		{"the same", []Point{old(1), mine(2)}, []Point{old(1), mine(2)}, []Point{old(1), mine(2), mine(3)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			added := map[ID]bool{}
			_, ours := reg.Assign(p, test.ours)
			_, theirs := reg.Assign(p, test.theirs)
			for _, side := range []*Registry{ours, theirs} {
				for _, e := range side.Entries() {
					added[e.ID] = true
				}
			}
			merged, next := union(t, ours, theirs).Assign(p, test.merged)
			if at := slices.IndexFunc(test.merged, func(p Point) bool { return p.Body == 1 }); merged[at] != ids[0] {
				t.Errorf("the first loop did not keep its ID %v: %v", ids[0], merged)
			}
			now := distinct(merged)
			if len(now) != 3 {
				t.Errorf("merged: %v", merged)
			}
			for id := range added {
				if !now[id] {
					t.Errorf("%v of a branch is lost: %v", id, merged)
				}
			}
			again, last := next.Assign(p, test.merged)
			if !slices.Equal(again, merged) || !bytes.Equal(last.Format(), next.Format()) {
				t.Errorf("a second time: %v, want %v", again, merged)
			}
		})
	}
}

// The order of points, packages and lines affects neither IDs nor bytes.
func TestAssignIgnoresOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		before, after := random(rng, 40), random(rng, 40)
		packages := []string{"a", "b", "c"}
		_, reg := new(Registry).Assign(packages, before)
		ids, want := reg.Assign(packages, after)
		byName := map[string]ID{}
		for i, p := range after {
			byName[p.File+p.Name] = ids[i]
		}
		if len(distinct(ids)) != len(ids) {
			t.Fatalf("round %d: an ID twice: %v", round, ids)
		}
		lines := strings.SplitAfter(string(reg.Format()), "\n")
		rng.Shuffle(len(lines)-2, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
		shuffled, err := Parse("r", []byte(strings.Join(lines, "")))
		if err != nil {
			t.Fatal(err)
		}
		rng.Shuffle(len(after), func(i, j int) { after[i], after[j] = after[j], after[i] })
		rng.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
		ids, got := shuffled.Assign(packages, after)
		if !bytes.Equal(got.Format(), want.Format()) {
			t.Fatalf("round %d: the order shows:\n%s\n%s", round, got.Format(), want.Format())
		}
		for i, p := range after {
			if byName[p.File+p.Name] != ids[i] {
				t.Fatalf("round %d: %s is %v and %v", round, p.Name, byName[p.File+p.Name], ids[i])
			}
		}
		checkKept(t, reg, got)
	}
}

// random returns points with few different packages, functions, headers and bodies, so that many
// are equal or moved.
func random(rng *rand.Rand, n int) []Point {
	numbers := map[string]int{}
	var points []Point
	for range n {
		p := Point{Package: string(rune('a' + rng.IntN(3))), Func: string(rune('F' + rng.IntN(4))),
			Kind: []string{"loop", "branch"}[rng.IntN(2)], Body: uint64(rng.IntN(12))}
		p.Header = fmt.Sprintf("for %d {", rng.IntN(3))
		if p.Kind == "branch" {
			p.Header = fmt.Sprintf("if %d then", rng.IntN(3))
		}
		if rng.IntN(8) == 0 {
			p.Given = string(rune('x' + rng.IntN(3)))
		}
		name := p.Package + "." + p.Func + ":" + p.Kind
		numbers[name]++
		p.Name, p.File = fmt.Sprintf("%s#%d", name, numbers[name]), p.Package+".go"
		points = append(points, p)
	}
	return points
}

// checkKept checks that no ID is lost or changes its kind from one registry to the next.
func checkKept(t *testing.T, before, after *Registry) {
	t.Helper()
	kinds := map[ID]string{}
	for _, e := range after.Entries() {
		kinds[e.ID] = e.Kind
	}
	for _, e := range before.Entries() {
		if kinds[e.ID] != e.Kind {
			t.Fatalf("%v was a %s and is %q", e.ID, e.Kind, kinds[e.ID])
		}
	}
}

// A long history of edits loses no ID and uses none twice.
func TestAssignHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	reg := new(Registry)
	for range 200 {
		_, next := reg.Assign([]string{"a", "b", "c"}, random(rng, rng.IntN(30)))
		checkKept(t, reg, next)
		seen := map[ID]bool{}
		for _, e := range next.entries {
			if seen[e.ID] {
				t.Fatalf("%v twice:\n%s", e.ID, next.Format())
			}
			seen[e.ID] = true
		}
		reg = next
	}
}

func TestAssignLarge(t *testing.T) {
	const n = 100_000
	points := make([]Point, 0, n)
	for i := range n {
		fn := fmt.Sprintf("F%d", i/20)
		points = append(points, loop(fn, i%20+1, fmt.Sprintf("for i := %d; i < n; i++", i%15), uint64(i)))
	}
	edited := slices.Clone(points)
	for i := range edited {
		switch {
		case i%7 == 0:
			edited[i].Header += " // edited"
		case i%11 == 0:
			edited[i].Body++
		case i/20%13 == 0:
			edited[i].Func = "Renamed" + edited[i].Func
		}
	}
	same := make([]Point, n) // worst case: one function with identical markers
	for i := range same {
		same[i] = loop("F", i+1, "if err != nil then", 1)
	}
	run := func(name string, reg *Registry, points []Point) *Registry {
		start := time.Now()
		_, next := reg.Assign(p, points)
		took := time.Since(start)
		t.Logf("%s: %v", name, took)
		if took > 5*time.Second { // 1 s on an idle machine without -race
			t.Errorf("%s: %d points took %v", name, n, took)
		}
		return next
	}
	reg := run("new", new(Registry), points)
	run("unchanged", reg, points)
	run("edited", reg, edited)
	reg = run("equal", new(Registry), same)
	run("equal, unchanged", reg, same)
	run("equal, every other one gone", reg, same[:n/2])
	start := time.Now()
	if _, err := Parse("r", reg.Format()); err != nil {
		t.Fatal(err)
	}
	t.Logf("format and parse: %v", time.Since(start))
}

func BenchmarkAssign(b *testing.B) {
	var points []Point
	for i := range 100_000 {
		points = append(points, loop(fmt.Sprintf("F%d", i/20), i%20+1, fmt.Sprintf("for i := %d; i < n; i++", i%15), uint64(i)))
	}
	_, reg := new(Registry).Assign(p, points)
	for b.Loop() {
		reg.Assign(p, points)
	}
}

// union returns the registry parsed after a merge that keeps the lines of all sides.
func union(t *testing.T, sides ...*Registry) *Registry {
	t.Helper()
	var text []byte
	for _, s := range sides {
		text = append(text, s.Format()...)
	}
	r, err := Parse("union", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func entryOf(t *testing.T, r *Registry, id ID) Entry {
	t.Helper()
	for _, e := range r.Entries() {
		if e.ID == id {
			return e
		}
	}
	t.Fatalf("%v is not in the registry:\n%s", id, r.Format())
	return Entry{}
}

func distinct(ids []ID) map[ID]bool {
	set := map[ID]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}
