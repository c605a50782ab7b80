package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// called returns a marker with a number of calls.
func called(n, calls int) profile.Marker {
	return marker(n, slices.Repeat([]uint64{1000}, calls))
}

// allocating returns the marker with the objects and bytes allocated in its scopes.
func allocating(m profile.Marker, collector string, objects, bytes uint64) profile.Marker {
	m.Readings = []profile.Reading{{Collector: collector, Scopes: m.Count, Values: []profile.Value{
		{Name: profile.AllocBytes, Sum: 10 * bytes, Self: bytes}, {Name: profile.AllocObjects, Sum: 10 * objects, Self: objects},
	}}}
	return m
}

// counted returns a line for each number that changed.
func counted(r *Result) (lines []string) {
	for _, c := range r.Counted {
		line := fmt.Sprintf("%s %s %d %d %v", c.Name, c.What, c.Old, c.New, c.Verdict)
		if c.Guess {
			line += " guess"
		}
		for _, caller := range c.Callers {
			line += fmt.Sprintf("; %s %d %d", caller.Name, caller.Old, caller.New)
		}
		lines = append(lines, line)
	}
	return lines
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// Numbers that all runs of a side have alike are compared exactly: growth of at least the threshold
// is worse. What varies is named with its range.
func TestExact(t *testing.T) {
	got := sidesOf(t, Options{Threshold: 0.1, Counts: CountsOnly}, 3, func(label Label, number int) *profile.Profile {
		l := int(label)
		guess := called(5, 1+l)
		guess.Guess = label == New
		demoted := called(6, 10+10*l)
		demoted.Off, demoted.Samples = profile.Demoted, 4
		sampled := called(7, 10+10*l)
		sampled.Sample, sampled.Samples = 10, 5
		return of(
			called(0, 100), called(1, 100+9*l), called(2, 100+10*l), called(3, 22-2*l), called(4, 5+number*l), guess, demoted, sampled,
			allocating(called(8, 3), profile.Alloc, uint64(6*l), uint64(1000-500*l)), called(9, 7*l),
		)
	})
	want := lines(`
shop.f008 objects 0 6 worse
shop.f006 scopes 10 20 worse
shop.f002 scopes 100 110 worse
shop.f008 bytes 1000 500 better
shop.f003 scopes 22 20 better
shop.f001 scopes 100 109 changed
shop.f005 scopes 1 2 worse guess`)
	if list := counted(got); !slices.Equal(list, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
	if len(got.Varied) != 1 || got.Varied[0].Name != "shop.f004" || got.Varied[0].Old != (Range{5, 5}) || got.Varied[0].New != (Range{5, 7}) {
		t.Errorf("varied: %+v", got.Varied)
	}
	if got.Same != 2 || got.Compared() != 8 || got.Worse() != 3 || got.Better() != 2 || len(got.Markers) != 0 || got.Metric != "counts" { // f000, f008's scopes
		t.Errorf("same %d, compared %d, worse %d, better %d, %d markers by %s", got.Same, got.Compared(), got.Worse(), got.Better(), len(got.Markers), got.Metric)
	}
	if len(got.NewlyCalled) != 1 || got.NewlyCalled[0].Scopes != (Range{7, 7}) {
		t.Errorf("newly called: %+v", got.NewlyCalled)
	}
	if len(got.Cautions) != 1 || !strings.HasPrefix(got.Cautions[0], "sampled markers: 1; their counts") {
		t.Errorf("cautions: %q", got.Cautions)
	}
}

// Beside times, counts are compared where two runs of each side agree. They make a comparison fail
// that has too few runs for times. On request they are not compared, or one run will do.
func TestExactBesideTimes(t *testing.T) {
	run := func(label Label, _ int) *profile.Profile { return of(called(0, 10+int(label)), called(1, 10)) }
	for _, tt := range []struct {
		counts Counts
		runs   int
		exact  bool
	}{
		{CountsBeside, 1, false}, {CountsBeside, 2, true}, {CountsBeside, 5, true},
		{CountsOnly, 1, true}, {CountsOnly, 2, true}, {CountsOff, 5, false},
	} {
		got := sidesOf(t, Options{Threshold: 0.05, Counts: tt.counts}, tt.runs, run)
		if got.Exact != tt.exact || (len(counted(got)) == 1) != tt.exact || (got.Worse() == 1) != tt.exact {
			t.Errorf("%+v: exact %v, worse %d: %q", tt, got.Exact, got.Worse(), counted(got))
		}
		if warned := strings.Contains(strings.Join(got.Cautions, "\n"), "one run of a side cannot show"); warned != (tt.counts == CountsOnly && tt.runs == 1) {
			t.Errorf("%+v: %q", tt, got.Cautions)
		}
	}
}

// Runs that were killed, or that did not count everything, take no part.
func TestExactIncomplete(t *testing.T) {
	for name, spoil := range map[string]func(*profile.Profile){
		"killed":  func(p *profile.Profile) { p.Complete = false },
		"lost":    func(p *profile.Profile) { p.Lost = 1 },
		"sampled": func(p *profile.Profile) { p.Sampling = &profile.Sampling{} },
		"traced":  func(p *profile.Profile) { p.Untimed = true },
		"picked":  func(p *profile.Profile) { p.Wild = &profile.Wild{} },
	} {
		got := sidesOf(t, Options{Counts: CountsOnly}, 3, func(label Label, number int) *profile.Profile {
			p := of(called(0, 10))
			if label == New && number == 1 {
				p.Markers[0] = called(0, 4)
				spoil(p)
			}
			return p
		})
		if got.Runs != [2]int{3, 2} || got.Same != 1 || len(got.Varied)+len(got.Counted) != 0 || !strings.Contains(strings.Join(got.Cautions, "\n"), "1 of the 3 new runs have not all counts") {
			t.Errorf("%s: %+v, %d varied, %q", name, got.ExactCounts, len(got.Varied), got.Cautions)
		}
	}
}

// Allocations that are not known of all scopes, or of the process alone, are not compared.
func TestExactAllocations(t *testing.T) {
	for name, spoil := range map[string]func(*profile.Profile){
		"dropped": func(p *profile.Profile) { p.Markers[0].Readings[0].Dropped = 1 },
		"partial": func(p *profile.Profile) { p.Markers[0].Readings[0].Scopes-- },
		"no self": func(p *profile.Profile) { p.NoSelf = true },
		"none":    func(p *profile.Profile) { p.Markers[0].Readings = nil },
		"process": func(p *profile.Profile) { p.Markers[0].Readings[0].Collector = profile.ProcessAlloc },
	} {
		got := sidesOf(t, Options{Counts: CountsOnly}, 2, func(label Label, number int) *profile.Profile {
			p := of(allocating(called(0, 10), profile.Alloc, uint64(10+label), 1000))
			if number == 1 {
				spoil(p)
			}
			return p
		})
		if got.Same != 1 || len(got.Varied)+len(got.Counted) != 0 {
			t.Errorf("%s: same %d, varied %+v, counted %q", name, got.Same, got.Varied, counted(got))
		}
		if warned := strings.Contains(strings.Join(got.Cautions, "\n"), "build with -deep"); warned != (name == "process") {
			t.Errorf("%s: %q", name, got.Cautions)
		}
	}
}

// A changed number names the callers that it comes from, if those of all scopes are known.
func TestExactCallers(t *testing.T) {
	caller := func(n int, calls int) profile.Caller {
		return profile.Caller{ID: marker(n, nil).ID, Name: marker(n, nil).Name, Marker: profile.Marker{Count: uint64(calls)}}
	}
	run := func(missing int) func(label Label, number int) *profile.Profile {
		return func(label Label, number int) *profile.Profile {
			m := called(0, 30)
			m.Callers = []profile.Caller{caller(1, 10), caller(2, 15-missing), caller(3, 2+number), caller(4, 3-number)}
			if label == New {
				m = called(0, 60)
				m.Callers = []profile.Caller{caller(1, 40), caller(3, 5), caller(5, 15)}
			}
			return of(m)
		}
	}
	want := []string{"shop.f000 scopes 30 60 worse; shop.f001 10 40; shop.f002 15 0; shop.f005 0 15"}
	if got := counted(sidesOf(t, Options{Threshold: 0.05}, 2, run(0))); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want = []string{"shop.f000 scopes 30 60 worse"}
	if got := counted(sidesOf(t, Options{Threshold: 0.05}, 2, run(1))); !slices.Equal(got, want) {
		t.Errorf("without some callers: %q, want %q", got, want)
	}
}

// The loops of a function are compared together where one of them was edited, which then has
// another ID, or a counterpart that is a guess.
func TestIterations(t *testing.T) {
	function := func(n, calls int) profile.Marker {
		m := called(n, calls)
		m.Kind = "func"
		return m
	}
	loop := func(id, of, turns int) profile.Marker {
		m := called(id, turns)
		m.Name, m.Kind = fmt.Sprintf("%s:for#%d", marker(of, nil).Name, id), "loop"
		return m
	}
	got := sidesOf(t, Options{Threshold: 0.05, Counts: CountsOnly}, 2, func(label Label, number int) *profile.Profile {
		l := int(label)
		guess := loop(31, 3, 10+10*l)
		guess.Guess = label == New
		return of(
			function(0, 1), loop(10+l, 0, 200+20*l), loop(12, 0, 100), // edited, and one that was not
			function(1, 1), loop(13, 1, 10), // not edited
			function(2, 1), loop(20+l, 2, 10+10*l), loop(22, 2, 5+number), // one varies
			function(3, 1), guess,
			function(4, 1), loop(40+l, 4, 7), // the same number
		)
	})
	want := lines(`
shop.f003 iterations 10 20 worse
shop.f000 iterations 300 320 worse
shop.f003:for#31 scopes 10 20 worse guess`)
	if list := counted(got); !slices.Equal(list, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
}

// Callers are read off call paths, too.
func TestExactPathCallers(t *testing.T) {
	got := sidesOf(t, Options{Threshold: 0.05, Counts: CountsOnly}, 2, func(label Label, number int) *profile.Profile {
		more := 10 * int(label)
		p := of(called(0, 30+more), called(1, 1), called(2, 1))
		id := func(n int) registry.ID { return marker(n, nil).ID }
		p.Paths = &profile.Paths{Runs: 1, Nodes: []profile.Path{
			{Parent: -1, ID: id(1), Count: 1}, {Parent: 0, ID: id(0), Count: 5}, {Parent: 0, ID: id(2), Count: 1}, {Parent: 2, ID: id(0), Count: uint64(20 + more)}, {Parent: -1, ID: id(0), Count: 5},
		}}
		return p
	})
	want := []string{"shop.f000 scopes 30 40 worse; shop.f002 20 30"}
	if list := counted(got); !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
}
