package report_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tier"
	"github.com/markgen/markgen/units"
)

// orders are the numeric columns, with their sort keys.
var orders = map[string]func(m *profile.Marker) float64{
	"count":  func(m *profile.Marker) float64 { return float64(m.Count) },
	"total":  func(m *profile.Marker) float64 { return float64(m.TotalNS()) },
	"self":   func(m *profile.Marker) float64 { return float64(m.SelfNS) },
	"share":  func(m *profile.Marker) float64 { return float64(m.SelfNS) },
	"mean":   (*profile.Marker).MeanNS,
	"stddev": (*profile.Marker).StddevNS,
	"min":    func(m *profile.Marker) float64 { return float64(m.MinNS) },
	"p50":    func(m *profile.Marker) float64 { return m.QuantileNS(0.5) },
	"p90":    func(m *profile.Marker) float64 { return m.QuantileNS(0.9) },
	"p99":    func(m *profile.Marker) float64 { return m.QuantileNS(0.99) },
	"max":    func(m *profile.Marker) float64 { return float64(m.MaxNS) },
}

// inOrder returns the names of the markers in the order of a column, after a first click or, if
// again, a second one.
func inOrder(p *profile.Profile, column string, again bool) (names []string) {
	key := func(m *profile.Marker) any {
		switch column {
		case "name":
			return m.Name
		case "kind":
			return m.Kind
		case "place":
			return fmt.Sprintf("%s:%09d", m.File, m.Line)
		}
		return orders[column](m)
	}
	compare := func(a, b *profile.Marker) int {
		if column == "name" {
			return profile.CompareNames(a.Name, b.Name)
		}
		if x, ok := key(a).(string); ok {
			return cmp.Compare(x, key(b).(string))
		}
		timed := func(m *profile.Marker) int {
			if column != "count" && len(m.Buckets) == 0 {
				return 1
			}
			return 0
		}
		if again { // ascending, with untimed markers last
			return cmp.Or(cmp.Compare(timed(a), timed(b)), cmp.Compare(key(a).(float64), key(b).(float64)))
		}
		return -cmp.Compare(key(a).(float64), key(b).(float64))
	}
	list := make([]*profile.Marker, len(p.Markers))
	for i := range p.Markers {
		list[i] = &p.Markers[i]
	}
	slices.SortStableFunc(list, func(a, b *profile.Marker) int { // stable: ties are by name
		if _, words := key(a).(string); words && again {
			return compare(b, a)
		}
		return compare(a, b)
	})
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}

var sortable = []string{"name", "count", "total", "self", "share", "mean", "place", "kind", "p50", "p90", "p99", "max", "min", "stddev"}

// Sorted by each column in either direction, the order is the same as Go's.
func TestPageSort(t *testing.T) {
	p := profiletest.Random(60, 3)
	v := open(t, p, report.Options{}, window(1600, 3000))
	expect(v, `[...document.querySelectorAll("#markers thead button")].map((b) => b.textContent)`, sortable)
	if got, want := v.names(), inOrder(p, "self", false); !slices.Equal(got, want) {
		t.Errorf("it begins with\n%q\nwant\n%q", got, want)
	}
	expect(v, `document.querySelector("th.self").ariaSort`, "descending")
	v.click(`th.kind button`) // the first click below must be on another column
	for _, column := range sortable {
		first, again := "descending", "ascending"
		if _, number := orders[column]; !number {
			first, again = again, first
		}
		if column == "kind" {
			v.click(`th.max button`)
		}
		for i, direction := range []string{first, again} {
			v.click("#markers thead th." + column + " button")
			expect(v, `[...document.querySelectorAll("#markers thead th")].filter((h) => h.ariaSort !== "none" && h.ariaSort !== null).map((h) => h.className.split(" ").at(-1) + " " + h.ariaSort)`,
				[]string{column + " " + direction})
			if got, want := v.names(), inOrder(p, column, i == 1); !slices.Equal(got, want) {
				t.Errorf("by %s, %s:\n%q\nwant\n%q", column, direction, got, want)
			}
		}
	}
	if got, want := open(t, p, report.Options{Sort: "place"}, window(1600, 3000)).names(), inOrder(p, "place", false); !slices.Equal(got, want) {
		t.Errorf("with -sort place it begins with\n%q\nwant\n%q", got, want)
	}
}

// Each cell equals that in the text report, and its title has the exact value.
func TestPageCells(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	v := open(t, p, report.Options{Sort: "name"})
	_, table, _ := strings.Cut(reporttest.Write(t, p, report.Options{Sort: "name"}), "\nname ")
	lines := strings.Split(table, "\n")
	columns := []string{"count", "total", "self", "mean", "mean-se", "min", "p50", "p99", "max", "place"}
	if got := strings.Join(strings.Fields(lines[0]), " "); got != "kind count total self share mean ± min p50 p99 max place" {
		t.Fatalf("the columns of the text are %s", got)
	}
	for i := range p.Markers {
		words := strings.Fields(lines[1+i])
		want := words[len(words)-len(columns)-1:]
		want = slices.Delete(want, 3, 4) // the share
		script := fmt.Sprintf(`%%s.map((c) => document.querySelectorAll("#markers tbody td." + c)[%d].textContent)`, i)
		list, _ := json.Marshal(columns)
		expect(v, fmt.Sprintf(script, list), want)
	}
	expect(v, `document.querySelectorAll("#markers tbody td.total")[1].title`, "9,061,377 ns")
	expect(v, `document.querySelectorAll("#markers tbody td.mean")[1].title`, "4,530.688 ns")
	expect(v, `document.querySelector("dl.head").textContent.replaceAll("\n", " ").includes("appshop (go1.26.0 linux/amd64)")`, true)
}

// Numbers are formatted as in package report.
func TestPageNumbers(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{})
	values := []float64{0, 0.004, 0.125, 0.375, 1, 2.5, 9.994, 9.995, 9.996, 12.25, 12.35, 12.75, 99.94, 99.95, 100.5, 101.5, 999.4, 999.5, 999.6, 1234, 12250, 999499, 999500,
		1e6, 12.25e6, 59.9e9, 59.94e9, 59.95e9, 60e9, 125e9, 3599.4e9, 3599.6e9, 3600e9, 11220e9, 359999e9, 360000e9, 4e14, 1.8e19}
	for i := range 3000 {
		values = append(values, math.Exp(float64(i)/67)/float64(1+i%7), float64(i)/8)
	}
	list, _ := json.Marshal(values)
	for i, got := range eval[[]string](v, fmt.Sprintf(`%s.map((v) => duration(v))`, list)) {
		if want := units.Duration(values[i]); got != want {
			t.Errorf("%v ns are %s, want %s", values[i], got, want)
		}
	}
	for _, quantum := range []float64{0, 0.74, 9.6, 41.67, 1000} {
		for i, got := range eval[[]string](v, fmt.Sprintf(`%s.map((v) => measured(v, %v))`, list, quantum)) {
			if want := units.Measured(values[i], quantum); got != want {
				t.Errorf("%v ns by a clock with steps of %v ns are %s, want %s", values[i], quantum, got, want)
			}
		}
	}
	for n, want := range map[string]string{`0`: "0", `999`: "999", `1000`: "1,000", `1234567`: "1,234,567", `"18446744073709551615"`: "18,446,744,073,709,551,615"} {
		expect(v, "count("+n+")", want)
	}
	for script, want := range map[string]string{
		`percent(0)`: "0.0%", `percent(0.0004)`: "<0.1%", `percent(0.123)`: "12%", `percent(0.0123)`: "1.2%", `percent(0.9999)`: ">99.9%", `percent(1)`: "100%",
		`signedPercent(0)`: "±0%", `signedPercent(0.0001)`: "±0%", `signedPercent(0.123)`: "+12.3%", `signedPercent(-0.5)`: "−50.0%", `signedPercent(2)`: "×3.00",
		`relative(1, 8)`: "12.5%", `relative(null, 8)`: "-", `exactly(1234.5)`: "1,234.5 ns", `amount("wait_ns", 1500)`: "1.50µs", `amount("bytes", 1500)`: "1,500",
	} {
		expect(v, script, want)
	}
}

// Numbers above 2^53 keep all digits, in display and in sorting.
func TestPageExact(t *testing.T) {
	const large = 1<<63 + 12345
	p := reporttest.Few(51)
	for i := range p.Markers {
		m := &p.Markers[i]
		m.CountOnly, m.Count = false, large+uint64([]int{1, 2, 0}[i])
		m.Buckets = []profile.Bucket{{K: 1, Count: m.Count, SumNS: m.Count*2 + 1, SumSq: profile.Square(m.Count)}}
		m.Buckets[0].SumNS = m.Count // a mean of 1 would be in bucket 0, but only digits matter here
		m.SelfNS = m.Count - 1
	}
	v := open(t, p, report.Options{Sort: "count"})
	texts := func(selector string) string {
		return `[...document.querySelectorAll("#markers tbody ` + selector + `")].map((c) => c.title === "" ? c.textContent : c.title)`
	}
	counts := []string{"9,223,372,036,854,788,155", "9,223,372,036,854,788,154", "9,223,372,036,854,788,153"}
	var totals, selves []string
	for i := range counts {
		totals = append(totals, counts[i]+" ns")
		selves = append(selves, units.Count(large+1-uint64(i))+" ns")
	}
	expect(v, texts("td.count"), counts)
	expect(v, texts("td.total"), totals)
	expect(v, texts("td.self"), selves)
	v.click("th.total button")
	v.click("th.total button")
	slices.Reverse(totals)
	expect(v, texts("td.total"), totals)
	expect(v, `document.querySelector("td.count").scrollWidth <= document.querySelector("td.count").clientWidth`, true)
	v.openMarker(p.Markers[1].Name)
	if got, want := v.detail("count"), "count 9,223,372,036,854,788,155"; strings.TrimSpace(got) != want {
		t.Errorf("the panel has %q, want %q", got, want)
	}
	expect(v, `document.querySelector(".buckets tbody td").textContent`, "9,223,372,036,854,788,155")
}

func TestPageSearch(t *testing.T) {
	p := profiletest.Random(60, 3)
	v := open(t, p, report.Options{}, window(1600, 3000))
	expect(v, `byID("shown").textContent`, "60 markers")
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "item00003 FOR"))
	if got, want := v.names(), []string{"example.com/shop/part000.(*Store).Item00003:for#1"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	expect(v, `byID("shown").textContent`, "1 of 60 markers")
	expect(v, `byID("markers").ariaRowCount`, "2")
	v.do(chromedp.KeyEvent(kb.Backspace), chromedp.SendKeys(chromedp.CSS("#find"), "nowhere"))
	expect(v, `byID("shown").textContent`, "0 of 60 markers")
	eval[bool](v, `(byID("find").value = "", byID("find").dispatchEvent(new Event("input")))`)
	v.choose("visited", "visited")
	visited := 0
	for i := range p.Markers {
		if p.Markers[i].Count > 0 {
			visited++
		}
	}
	if got := v.names(); len(got) != visited || visited == 60 {
		t.Errorf("%d markers were visited, want %d", len(got), visited)
	}
	v.choose("visited", "unvisited")
	expect(v, `byID("shown").textContent`, fmt.Sprintf("%d of 60 markers", 60-visited))
	v.choose("visited", "visited")
	// Search results can be sorted.
	v.click("th.max button")
	if got, want := v.names(), inOrder(p, "max", false)[:10]; !slices.Equal(got[:10], want) {
		t.Errorf("by max\n%q\nwant\n%q", got[:10], want)
	}
}

// The summary above the table has the markers with most time, the number of markers that were never
// executed, and the total cost.
func TestPageSummary(t *testing.T) {
	p := profiletest.Random(60, 1)
	p.ElapsedNS, p.Cost = 2_000_000_000, &profile.Cost{Runs: 1, CPUNS: 1_500_000_000, MarkersNS: 30_000_000}
	p.Warnings = []string{"something is odd"}
	v := open(t, p, report.Options{})
	expect(v, `[...document.querySelectorAll(".summary > div:not(.most)")].map((d) => d.textContent.replaceAll("\n", ""))`,
		[]string{"elapsed2.00s", "processor time1.50s", "cost of markersabout 30.0ms, 2% of it", "unvisited5 of 60 markers"})
	expect(v, `document.querySelector(".cautions").getBoundingClientRect().bottom <= document.querySelector(".summary").getBoundingClientRect().top`, true)
	expect(v, `[...document.querySelectorAll(".most a")].map((a) => a.title)`, inOrder(p, "self", false)[:3])
	expect(v, `[...document.querySelectorAll(".most dd")].map((d) => d.textContent.split(", ").at(-1))`,
		eval[[]string](v, `[...document.querySelectorAll("#markers tbody td.share")].slice(0, 3).map((c) => c.textContent)`))
	v.click(".most dd:nth-of-type(2) a")
	v.wait(`byID("detail-name")?.textContent === ` + quoted(inOrder(p, "self", false)[1]))
	v.click("[data-visited]")
	expect(v, `byID("shown").textContent + ", " + byID("visited").value`, "5 of 60 markers, unvisited")

	// Their number is that in the text report.
	p.Markers[0].Count, p.Markers[0].Buckets, p.Markers[0].Open = 0, nil, 1
	p.Markers[4].Count, p.Markers[4].Buckets, p.Markers[4].Off = 0, nil, "choice"
	p.Markers[8].Count, p.Markers[8].Buckets, p.Markers[8].Samples = 0, nil, 3
	v = open(t, p, report.Options{})
	if unvisited := eval[string](v, `document.querySelector("[data-visited]").textContent.split(" ")[0]`) + " unvisited"; !strings.Contains(reporttest.Write(t, p, report.Options{}), ", "+unvisited) {
		t.Errorf("the text does not say %s", unvisited)
	}
}

// Markers of one kind can be selected, whatever follows the kind.
func TestPageKinds(t *testing.T) {
	p := profiletest.Random(60, 1)
	p.Markers[5].Sample, p.Markers[5].Samples = 100, 7
	kind := p.Markers[5].Kind
	var want []string
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Kind == kind {
			want = append(want, m.Name)
		}
	}
	v := open(t, p, report.Options{Sort: "name"}, window(1440, 3000))
	expect(v, `[...byID("kind").options].map((o) => o.textContent).includes(`+quoted(fmt.Sprintf("%s (%d)", kind, len(want)))+`)`, true)
	v.choose("kind", kind)
	if got := v.names(); !slices.Equal(got, want) || len(want) == 60 {
		t.Errorf("of the kind %s are\n%q\nwant\n%q", kind, got, want)
	}
	expect(v, `byID("shown").textContent`, fmt.Sprintf("%d of 60 markers", len(want)))
	v.choose("kind", "")
	expect(v, `byID("shown").textContent`, "60 markers")
}

// The common prefix of all names is shown once, and rows have the rest.
func TestPagePrefix(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Sort: "name"})
	expect(v, `byID("prefix").textContent.trim() + " " + byID("prefix").checkVisibility()`, "names without example.com/shop/cart. true")
	expect(v, `(({ textContent, title }) => [textContent, title])(document.querySelector("#markers tbody a"))`, []string{"(*Cart).Total", "example.com/shop/cart.(*Cart).Total"})
	p := reporttest.Parse(t, reporttest.Demo())
	p.Markers[0].Name, p.Markers[0].Package = "other.F", "other"
	v = open(t, p, report.Options{Sort: "name"})
	expect(v, `byID("prefix").checkVisibility()`, false)
	expect(v, `document.querySelector("#markers tbody a").textContent`, "example.com/shop/cart.(*Cart).Total:for#1")
}

// In a window of 1,000 pixels the important columns are visible.
func TestPageSight(t *testing.T) {
	p := profiletest.Random(300, 1)
	for i := range p.Markers {
		p.Markers[i].File = "internal/processor/and/some/more/" + p.Markers[i].File
	}
	v := open(t, p, report.Options{}, window(1000, 700))
	expect(v, `["name", "count", "total", "self", "share", "mean", "place"].filter((c) => document.querySelector("th." + c).getBoundingClientRect().right > 1000)`, []string{})
	expect(v, `[...document.querySelectorAll("#markers tbody th a")].filter((a) => a.scrollWidth > a.clientWidth).length`, 0)
	// The longest bar fills its cell.
	expect(v, `(({ offsetWidth, parentElement }) => offsetWidth === parentElement.offsetWidth && offsetWidth > 30)(document.querySelector(".bar"))`, true)
}

// Everything can be done with the keyboard.
func TestPageKeys(t *testing.T) {
	p := profiletest.Random(300, 1)
	v := open(t, p, report.Options{Sort: "name"})
	at := `document.activeElement.title`
	v.do(chromedp.KeyEvent("/"))
	expect(v, `document.activeElement.id`, "find")
	v.do(chromedp.KeyEvent("part000"), chromedp.KeyEvent(kb.ArrowDown))
	expect(v, at, p.Markers[0].Name)
	v.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	expect(v, at, p.Markers[1].Name)
	v.do(chromedp.KeyEvent(kb.End))
	expect(v, at, p.Markers[299].Name)
	expect(v, `(() => { const a = document.activeElement.getBoundingClientRect(), b = byID("view").getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom + 1; })()`, true)
	v.do(chromedp.KeyEvent(kb.PageUp), chromedp.KeyEvent(kb.PageUp), chromedp.KeyEvent(kb.Home))
	expect(v, at, p.Markers[0].Name)
	v.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	v.wait(`!byID("detail").hidden`)
	expect(v, `byID("detail-name").textContent`, p.Markers[1].Name)
	v.do(chromedp.KeyEvent(kb.Escape))
	v.wait(`byID("detail").hidden`)
	expect(v, at, p.Markers[1].Name)
	// Of the rows, only one can be reached with Tab, and so can the column headers.
	expect(v, `[...document.querySelectorAll("#markers tbody a")].filter((a) => a.tabIndex === 0).length`, 1)
	expect(v, `document.querySelectorAll("#markers thead button").length`, len(sortable))
	eval[bool](v, `document.querySelector("th.p99 button").focus() === undefined`)
	v.do(chromedp.KeyEvent(kb.Enter))
	expect(v, `document.querySelector("th.p99").ariaSort`, "descending")
}

// The accessible properties of the table.
func TestPageSemantics(t *testing.T) {
	v := open(t, profiletest.Random(300, 1), report.Options{})
	for script, want := range map[string]any{
		`byID("markers").ariaRowCount`:                                                                                                                                 "301",
		`document.querySelector("#markers tbody tr:nth-child(2)").ariaRowIndex`:                                                                                        "2",
		`[...document.querySelectorAll("#markers tbody tr:not(.space)")].every((r) => r.cells[0].matches("th[scope=row]"))`:                                            true,
		`[...document.querySelectorAll("#markers thead th")].every((h) => h.scope === "col")`:                                                                          true,
		`[...document.querySelectorAll(".space")].every((r) => r.ariaHidden === "true")`:                                                                               true,
		`[...document.querySelectorAll("button, input")].filter((e) => e.checkVisibility()).every((e) => e.textContent !== "" || e.labels?.length > 0 || e.ariaLabel)`: true,
		`document.documentElement.lang`: "en",
	} {
		expect(v, script, want)
	}
}

// The same with 20,000 markers.
func TestPageLarge(t *testing.T) {
	tier.Corpus(t)
	p := profiletest.Random(20_000, 1)
	v := open(t, p, report.Options{Sort: "mean"})
	expect(v, `byID("shown").textContent`, "20,000 markers")
	if n := eval[int](v, `document.querySelectorAll("#markers tbody tr").length`); n > 100 {
		t.Errorf("%d lines are elements", n)
	}
	for _, column := range sortable {
		v.click("#markers thead th." + column + " button")
		want := inOrder(p, column, false)
		if got := v.names(); len(got) < 20 || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("by %s it begins with\n%q\nwant\n%q", column, got, want[:len(got)])
		}
		expect(v, `[...document.querySelectorAll("#markers tbody td:not(.strip, .place)")].filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.textContent)`, []string{}) // no value is truncated
		eval[float64](v, `byID("view").scrollTop = 1e9`)
		v.wait(`document.querySelector("#markers tbody tr:nth-last-child(2)").ariaRowIndex === "20001"`)
		if got := v.names(); len(got) < 20 || !slices.Equal(got, want[len(want)-len(got):]) {
			t.Errorf("by %s it ends with\n%q\nwant\n%q", column, got, want[len(want)-len(got):])
		}
	}
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "item04999"))
	if got := v.names(); len(got) != 4 {
		t.Errorf("found %q", got)
	}
	v.openMarker(p.Markers[19_998].Name)
	expect(v, `byID("detail-name").textContent`, p.Markers[19_998].Name)
	// A link to a marker leads to it.
	eval[bool](v, `(byID("find").value = "", byID("find").dispatchEvent(new Event("input")))`)
	eval[string](v, `location.hash = "`+p.Markers[9_000].ID.String()+`"`)
	v.wait(`byID("detail-name").textContent === ` + quoted(p.Markers[9_000].Name))
	expect(v, `document.querySelector("tr[aria-current=true] a").title`, p.Markers[9_000].Name)
}

// On a narrow screen the page has the width of the screen; only the table scrolls sideways.
func TestPageNarrow(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: reporttest.Sources}, window(360, 640))
	const fits = `document.documentElement.scrollWidth <= 360`
	expect(v, fits, true)
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	expect(v, fits, true)
	eval[bool](v, `document.querySelector("th.place button").scrollIntoView() === undefined`)
	v.click("th.place button")
	expect(v, `document.querySelector("th.place").ariaSort`, "ascending")
	expect(v, `document.querySelector("#markers tbody th").getBoundingClientRect().left >= 0`, true) // the names stay visible
}
