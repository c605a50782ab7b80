package report

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/registry"
)

// comparison returns a comparison with everything that one can contain.
func comparison() *compare.Result {
	place := func(id int, name string) compare.Place {
		return compare.Place{ID: registry.ID(0xa0 + id), Name: "example.com/shop." + name, Kind: "func", File: "shop.go", Line: 10 * id, Reached: true}
	}
	work := func(id int, name string, lo, hi uint64) compare.Work {
		return compare.Work{Place: place(id, name), Scopes: compare.Range{Lo: lo, Hi: hi}}
	}
	summary := func(median float64) compare.Summary {
		return compare.Summary{Median: median, Lo: median * 0.99, Hi: median * 1.012, Runs: 10}
	}
	figure := func(name string, old, fresh, p float64, v compare.Verdict) compare.Figure {
		change := fresh/old - 1
		return compare.Figure{Name: name, Unit: "ns", Old: summary(old), New: summary(fresh), Change: change, Lo: change - 0.012, Hi: change + 0.013, P: p / 100, Adjusted: p, Verdict: v}
	}
	side := compare.Side{Runs: 10, App: "shop", Go: "go1.26.8", OS: "linux", Arch: "amd64", Clock: profile.Clock{Kind: "tsc", Hz: 2.7e9}}
	shared := figure("p50", 1, 1.02, 0.2, compare.Unchanged)
	shared.Unit = ""
	none := figure("p50", 0, 3, 0.9, compare.Unchanged)
	none.Change = math.Inf(1)
	return &compare.Result{
		Options: compare.Options{Metric: "time", Threshold: 0.05, Alpha: 0.05},
		Old:     side, New: side, Tests: 31, Permutations: 20000, Enough: true, Need: 4,
		Half: 0.0234, Most: 0.12, Spread: 0.031, Shared: []compare.Figure{shared},
		Markers: []compare.Marker{
			{Place: place(1, "(*Store).Load"), Verdict: compare.Worse, Detectable: 0.03, Figures: []compare.Figure{
				figure("p99", 8123, 95000, 0.0004, compare.Worse), figure("p50", 5310, 4900, 0.012, compare.Better),
			}},
			{Place: place(2, "parse"), Verdict: compare.Worse, Detectable: 0.02, Path: &compare.PathChange{Share: 0.876, Of: 4, Steps: []compare.PathStep{
				{ID: 0xa1, Name: "example.com/shop.(*Store).Load", Label: "GET /"}, {ID: 0xa2, Name: "example.com/shop.parse", Go: true},
			}}, Figures: []compare.Figure{figure("p25", 5310, 5584, 0.013, compare.Worse)}},
			{Place: place(3, "sort"), Verdict: compare.Better, Detectable: 0.02, Sampled: true, Figures: []compare.Figure{figure("mean", 1.25e6, 7.5e5, 0.001, compare.Better)}},
			{Place: place(4, "write"), Verdict: compare.Changed, Detectable: 0.02, Figures: []compare.Figure{figure("p50", 100, 101.2, 0.02, compare.Changed)}},
			{Place: place(5, "idle"), Verdict: compare.Unchanged, Detectable: math.Inf(1), Figures: []compare.Figure{figure("p50", 55, 56, 0.9, compare.Unchanged)}},
			{Place: place(6, "zero"), Verdict: compare.Unchanged, Detectable: math.Inf(1), Figures: []compare.Figure{none}},
		},
		ExactCounts: compare.ExactCounts{Runs: [2]int{10, 10}, Same: 40, Exact: true},
		Counted: []compare.Count{
			{Place: place(1, "(*Store).Load"), What: compare.Scopes, Old: 1200, New: 3600, Verdict: compare.Worse, Callers: []compare.CallerCount{
				{ID: 0xa2, Name: "example.com/shop.parse", Old: 0, New: 2000}, {Old: 100, New: 400}, {ID: 0xa3, Name: "example.com/shop.sort", Old: 1100, New: 1197}, {ID: 0xa4, Name: "example.com/shop.write", Old: 0, New: 3},
			}},
			{Place: place(3, "sort"), What: compare.Bytes, Old: 4 << 20, New: 1 << 20, Verdict: compare.Better},
			{Place: place(4, "write"), What: compare.Objects, Old: 1000, New: 1001, Verdict: compare.Changed},
		},
		Varied:   []compare.Varied{{Place: place(2, "parse"), What: compare.Scopes, Old: compare.Range{Lo: 90, Hi: 1100}, New: compare.Range{Lo: 95, Hi: 95}}},
		Appeared: []compare.Work{work(7, "cache", 1200, 1200)}, Vanished: []compare.Work{work(8, "scan", 1, 1)},
		NewlyCalled: []compare.Work{work(9, "retry", 0, 7)}, NoLongerCalled: []compare.Work{work(10, "fall\x1bback", 5, 6)},
		Cautions: []string{"clocks differ: old tsc, new mono; changes may be due to that"},
	}
}

func written(t *testing.T, d Diff, r *compare.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDiffText(t *testing.T) {
	all, few := comparison(), comparison()
	few.Enough, few.Old.Runs, few.New.Runs, few.Shared, few.Half, few.Most = false, 1, 1, nil, math.Inf(1), math.Inf(1)
	for i := range few.Markers {
		few.Markers[i].Verdict = compare.Unknown
		for k := range few.Markers[i].Figures {
			f := &few.Markers[i].Figures[k]
			f.P, f.Adjusted, f.Verdict, f.Lo, f.Hi = math.NaN(), math.NaN(), compare.Unknown, -1, math.Inf(1)
			f.Old.Lo, f.Old.Hi, f.New.Lo, f.New.Hi = math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1)
		}
	}
	together := comparison()
	together.Shared[0].Verdict, together.Markers = compare.Worse, nil
	nothing := &compare.Result{Options: compare.Options{Metric: "p99", Threshold: 0.1, Alpha: 0.01}, Enough: true, Half: math.Inf(1), Most: math.Inf(1)}
	unvisited := comparison()
	rare := compare.Work{Place: compare.Place{ID: 1, Name: "example.com/shop.rare", Kind: "func", File: "shop.go", Line: 7}}
	unvisited.Appeared = append(unvisited.Appeared, slices.Repeat([]compare.Work{rare}, 1200)...)
	unvisited.Vanished = append(unvisited.Vanished, rare, rare, rare)
	guesses := comparison()
	for i, name := range []string{"Load", "parse"} {
		m := &guesses.Markers[i]
		m.Guess, m.OldName = true, "example.com/shop."+name
	}
	guesses.Markers[1].OldName, guesses.Counted[0].Guess = guesses.Markers[1].Name, true
	guesses.Counted[0].OldName = guesses.Markers[0].OldName
	guesses.Markers = slices.Concat(guesses.Markers[2:], guesses.Markers[:2])
	counts := comparison()
	counts.Counts, counts.Metric, counts.Markers, counts.Shared, counts.Enough = compare.CountsOnly, "counts", nil, nil, false
	rough := comparison()
	rough.Half, rough.Most = 5.3e9, 5.4e9
	for _, tt := range []struct {
		name string
		d    Diff
		r    *compare.Result
	}{
		{"changes", Diff{}, all},
		{"all", Diff{All: true}, all},
		{"narrow", Diff{Width: 60}, all},
		{"color", Diff{Color: true}, all},
		{"few", Diff{}, few},
		{"together", Diff{}, together},
		{"nothing", Diff{}, nothing},
		{"rough", Diff{}, rough},
		{"guesses", Diff{}, guesses},
		{"guesses-narrow", Diff{Color: true, Width: 70}, guesses},
		{"unvisited", Diff{}, unvisited},
		{"counts", Diff{}, counts},
		{"counts-narrow", Diff{Color: true, Width: 60}, counts},
		{"changes-markdown", Diff{Format: "markdown"}, all},
		{"few-markdown", Diff{Format: "markdown"}, few},
		{"together-markdown", Diff{Format: "markdown"}, together},
		{"counts-markdown", Diff{Format: "markdown"}, counts},
		{"guesses-markdown", Diff{Format: "markdown"}, guesses},
	} {
		text := written(t, tt.d, tt.r)
		name := "diff/" + tt.name + ".txt"
		if tt.d.Format == "markdown" {
			name = "diff/" + strings.TrimSuffix(tt.name, "-markdown") + ".md"
		}
		golden.Check(t, name, text)
		for line := range strings.Lines(text) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("%s: a line ends with a space: %q", tt.name, line)
			}
		}
	}
}

// The json format is one object with the content of the text; unknown values are null.
func TestDiffJSON(t *testing.T) {
	text := written(t, Diff{Format: "json"}, comparison())
	golden.Check(t, "diff/changes.json", text)
	type figure struct {
		Name     string
		Change   *float64
		Adjusted *float64 `json:"p_adjusted"`
		Verdict  string
	}
	var got struct {
		Verdict string
		Markers []struct {
			Name, Verdict, Lead string
			Figures             []figure
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&got); err != nil || d.More() {
		t.Fatal(err)
	}
	r := comparison()
	if got.Verdict != "worse" || len(got.Markers) != len(r.Markers) {
		t.Errorf("%+v", got)
	}
	for i, m := range r.Markers {
		if j := got.Markers[i]; j.Name != m.Name || j.Verdict != m.Verdict.String() || !slices.ContainsFunc(j.Figures, func(f figure) bool { return f.Name == j.Lead }) {
			t.Errorf("%+v", j)
		}
	}
	for _, word := range []string{"guess", "old_name"} {
		if strings.Contains(text, word) {
			t.Errorf("%s where there is none", word)
		}
	}
	if f := got.Markers[5].Figures[0]; f.Change != nil || f.Adjusted == nil {
		t.Errorf("an infinite change: %+v", f)
	}
}

// A marker that was matched by a guess is shown as a guess, with its old name, and does not cause
// failure.
func TestDiffGuessJSON(t *testing.T) {
	r := comparison()
	r.Markers = r.Markers[:2]
	r.Markers[0].Guess, r.Markers[0].OldName = true, "example.com/shop.Load"
	r.Markers[1].OldName = r.Markers[1].Name
	r.Counted[0].Guess = true
	verdict := func() string {
		text := written(t, Diff{Format: "json"}, r)
		var got struct{ Verdict string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, `"guess":true`); n != 2 && !r.Markers[1].Guess || strings.Count(text, `"old_name":"example.com/shop.Load"`) != 1 || strings.Count(text, "old_name") != 1 {
			t.Errorf("%d guesses: %s", n, text)
		}
		return got.Verdict
	}
	if got := verdict(); got != "worse" {
		t.Errorf("one that is worse and one that is a guess: %s", got)
	}
	r.Markers[1].Verdict = compare.Unchanged
	if got := verdict(); got != "ok" {
		t.Errorf("worse is only a guess: %s", got)
	}
	r.Markers[1].Guess = true
	if got := verdict(); got != "unknown" {
		t.Errorf("nothing but guesses: %s", got)
	}
}

func TestChangeWords(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0%", 0.0001: "0.0%", -0.0001: "0.0%", 0.05: "+5.0%", -0.5: "-50.0%", 0.9996: "+100%", 2: "+200%", 9.99: "+999%", 10: "×11.0", math.Inf(1): "+∞",
	} {
		if got := signed(v); got != want {
			t.Errorf("signed(%v) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0%", 0.05: "5%", 0.0234: "2.3%", 0.1: "10%", 1.5: "150%"} {
		if got := percent(v); got != want {
			t.Errorf("percent(%v) = %s, want %s", v, got, want)
		}
	}
	for p, want := range map[float64]string{0: "<0.001", 0.0004: "<0.001", 0.0006: "0.001", 0.05: "0.050", 1: "1.000"} {
		if got := probability(p); got != want {
			t.Errorf("probability(%v) = %s, want %s", p, got, want)
		}
	}
}
