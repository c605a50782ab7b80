package rewrite

import (
	"slices"
	"testing"
)

// Points that are left out remain among the unit's points, with the reason, and have no marker.
func TestLeave(t *testing.T) {
	const text = `package p

func short(n int) int { return n + 1 }

//perf:mark
func asked(n int) int { return n + 1 }

func loops(n int) {
	for range n {
	}
}

func jumps(n int) {
again:
	if n--; n > 0 {
		goto again
	}
}

func long(n int) int { return n + n*n - n/3 + n&7 - n | 8 + n ^ 9 + n<<2 }

func outer() func(int) int {
	//perf:begin region
	f := func(n int) int { return n + 1 }
	//perf:end region
	return f
}
`
	u, err := Load("p", []Source{{Name: "p.go", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	leave := func(p *Point) string {
		if p.Name == "p.long" || p.Kind == KindRegion {
			return "too expensive"
		}
		return ""
	}
	if err := u.Find(Options{All: true, Min: 20, Leave: leave}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range u.Points {
		got = append(got, p.Name+": "+p.Left)
	}
	want := []string{
		"p.short: in a function of 4 nodes, which are fewer than 20, and no loop",
		"p.asked: ",
		"p.loops: ", "p.loops:for#1: ",
		"p.jumps: ", "p.jumps:if#1.then: ",
		"p.long: too expensive",
		"p.outer: in a function of 5 nodes, which are fewer than 20, and no loop",
		"p.outer:region: ",
		"p.outer:func#1: in a function of 4 nodes, which are fewer than 20, and no loop",
	}
	if !slices.Equal(got, want) {
		t.Errorf("points are\n%q, want\n%q", got, want)
	}
	if n := len(u.timed) + len(u.counts); n != 6 {
		t.Errorf("%d markers, want 6", n)
	}
}
