package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/units"
)

// colored is a script that counts the colours of many pixels in a canvas.
const colored = `(() => {
	const canvas = document.querySelector("#detail canvas");
	const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	const colors = new Map();
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] > 40) {
			const key = [data[i] >> 4, data[i + 1] >> 4, data[i + 2] >> 4, data[i + 3] >> 4].join();
			colors.set(key, (colors.get(key) ?? 0) + 1);
		}
	}
	return [...colors.values()].filter((n) => n > 200).length;
})()`

// A marker's panel has its values and its histogram.
func TestPageMarker(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	v := open(t, p, report.Options{})
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	for word, want := range map[string]string{
		"count": "count 2,000", "total": "total 9.06ms", "self": "self 6.80ms 75% of total, <0.1% of all", "mean": "mean 4.53µs", "min": "min 90ns",
		"p50": "p50 3.42µs in 2.05µs – 4.10µs", "max": "max 13.4µs", "open": "none",
	} {
		if got := strings.Join(strings.Fields(v.detail(word)), " "); got != want {
			t.Errorf("the panel says %q, want %q", got, want)
		}
	}
	expect(v, `[...document.querySelectorAll(".buckets tbody tr")].map((r) => r.cells[0].textContent + ": " + r.cells[1].textContent)[0]`, "64.0ns – 128ns: 107")
	expect(v, `document.querySelectorAll(".buckets tbody tr").length`, 8)
	if n := eval[int](v, colored); n < 6 {
		t.Errorf("the histogram of 8 buckets has %d colours", n)
	}
	expect(v, `document.querySelector("#detail canvas").ariaLabel`, "distribution of times: most scopes, 463 of 2,000, took 4.10µs – 8.19µs")
	expect(v, `[...document.querySelectorAll(".choices [aria-pressed=true]")].map((b) => b.textContent)`, []string{"scopes", "log"})
	before := eval[string](v, `document.querySelector("#detail canvas").toDataURL()`)
	for _, choice := range []string{"height: time", "scale: linear"} {
		v.click(`[aria-label="` + choice + `"]`)
		after := eval[string](v, `document.querySelector("#detail canvas").toDataURL()`)
		if after == before {
			t.Errorf("%s changes nothing", choice)
		}
		before = after
	}
	expect(v, `[...document.querySelectorAll(".choices [aria-pressed=true]")].map((b) => b.textContent)`, []string{"time", "linear"})

	// A marker without times says why.
	v.openMarker("example.com/shop/cart.cache missed")
	expect(v, `document.querySelector("#detail canvas") === null`, true)
	expect(v, `document.querySelector(".measured > .note").textContent`, "its scopes were counted and not timed")
	v.openMarker("example.com/shop/cart.(*Cart).Total:if#1.then")
	expect(v, `document.querySelector(".measured > .note").textContent`, "the marker was never reached")

	// The URL leads to the marker.
	expect(v, `location.hash`, "#00c0ffee00000004")
	v.click("#detail .close")
	expect(v, `byID("detail").hidden && location.hash === ""`, true)
	eval[string](v, `location.hash = "00c0ffee00000001"`)
	v.wait(`document.querySelector("#detail-name")?.textContent === "example.com/shop/cmd/shop.main"`)
	expect(v, `document.querySelector("tr[aria-current=true] a").title`, "example.com/shop/cmd/shop.main")
}

// Two profiles are in one table and in one chart.
func TestPageCompared(t *testing.T) {
	old := reporttest.Demo()
	old.Tables[0].Times[1] = []uint64{1_000_000, 900_000}
	old.Tables[0].Text = strings.Replace(old.Tables[0].Text, "m\t00c0ffee00000005\tregion\t1\t40\t2\t1\t-\t-\t1\texample.com/shop/cart.read <rates> & taxes", "m\t00c0ffee00000009\tregion\t1\t40\t2\t1\t-\t-\t1\texample.com/shop/cart.gone", 1)
	p := reporttest.Parse(t, reporttest.Demo())
	for i := range p.Markers { // a marker on one side only is not compared
		name := p.Markers[i].Name
		p.Markers[i].Guess = strings.HasSuffix(name, ".(*Cart).Total:for#1") || strings.HasSuffix(name, "taxes")
	}
	v := open(t, p, report.Options{Against: reporttest.Parse(t, old)}, window(1900, 1000))
	cells := func(name string) []string {
		return eval[[]string](v, `[...document.querySelectorAll("#markers tbody tr:not(.space)")].filter((r) => r.querySelector("a").title === `+quoted(name)+`).map((r) => ["count", "count-change", "total", "total-change", "mean", "mean-change"].map((c) => r.querySelector("." + c).textContent))[0]`)
	}
	for name, want := range map[string][]string{
		"example.com/shop/cart.(*Cart).Total":           {"3", "+50.0%", "14.1ms", "×7.42", "4.70ms", "×4.95"},
		"example.com/shop/cart.(*Cart).Total:for#1":     {"2,000", "±0% ?", "9.06ms", "±0% ?", "4.53µs", "±0% ?"},
		"example.com/shop/cart.read <rates> & taxes":    {"3", "new", "1m01s", "new", "20.3s", "new"},
		"example.com/shop/cart.gone":                    {"-", "gone", "-", "gone", "-", "gone"},
		"example.com/shop/cart.(*Cart).Total:if#1.then": {"0", "-", "-", "-", "-", "-"},
	} {
		if got := cells(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	v.click("th.mean-change button")
	if got := v.names()[:2]; !slices.Equal(got, []string{"example.com/shop/cart.read <rates> & taxes", "example.com/shop/cart.(*Cart).Total"}) {
		t.Errorf("by the change of the mean: %q", got)
	}
	v.openMarker("example.com/shop/cart.(*Cart).Total")
	expect(v, `Chart.getChart(document.querySelector("#detail canvas")).data.datasets.map((d) => d.label + " " + d.data.filter((n) => n > 0).join())`, []string{"old 2", "new 1,1,1"})
	if got := strings.Join(strings.Fields(v.detail("mean")), " "); got != "mean 950µs 4.70ms ×4.95" {
		t.Errorf("the panel says %q", got)
	}
	expect(v, `[...document.querySelectorAll(".buckets tbody tr")].map((r) => r.cells[0].textContent).join()`, "old,new,new,new")
	const guess = "a guess: it was renamed, moved or edited, and may not be what it is compared with"
	expect(v, `document.querySelector("#detail .what").textContent.includes("guess")`, false)
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	expect(v, `document.querySelector("#detail .what").textContent`, "loop, cart/price.go:32; compared by "+guess)
	expect(v, `[...document.querySelectorAll(".cautions li")].at(-1).textContent`, "? behind a change: the marker was renamed, moved or edited, and may not be what it is compared with")
	v.openMarker("example.com/shop/cart.gone")
	if got := strings.Join(strings.Fields(v.detail("count")), " "); got != "count 3 -" {
		t.Errorf("the panel says %q", got)
	}
	expect(v, `[...document.querySelectorAll("table.head thead th")].map((h) => h.textContent).join()`, "old,new")
}

// A comparison colours only what markgen diff calls worse or better.
func TestPageVerdicts(t *testing.T) {
	old := reporttest.Demo()
	old.Tables[0].Times[1] = []uint64{1_000_000, 900_000}
	old.Tables[0].Text = strings.Replace(old.Tables[0].Text, "00c0ffee00000007", "00c0ffee00000009", 1)
	p := reporttest.Parse(t, reporttest.Demo())
	figure := func(name string, change float64, verdict compare.Verdict) compare.Figure {
		return compare.Figure{
			Name: name, Unit: "ns", Old: compare.Summary{Median: 1000, Lo: 990, Hi: 1010}, New: compare.Summary{Median: 1000 * (1 + change), Lo: 1000, Hi: 2000},
			Change: change, Lo: change - 0.01, Hi: change + 0.01, P: 0.001, Adjusted: 0.002, Verdict: verdict,
		}
	}
	result := func(enough bool) *compare.Result {
		r := &compare.Result{Options: compare.Options{Metric: "time", Threshold: 0.05, Alpha: 0.05}, Enough: enough, Need: 4, Old: compare.Side{Runs: 8}, New: compare.Side{Runs: 8}, Half: 0.1, Most: 0.2}
		add := func(name string, verdict compare.Verdict, figures ...compare.Figure) {
			for i := range p.Markers {
				if m := &p.Markers[i]; m.Name == name {
					r.Markers = append(r.Markers, compare.Marker{Place: compare.Place{ID: m.ID, Name: m.Name}, Verdict: verdict, Figures: figures})
				}
			}
		}
		if !enough {
			add("example.com/shop/cart.(*Cart).Total", compare.Unknown, figure("p5", 0.5, compare.Unknown))
			return r
		}
		add("example.com/shop/cart.read <rates> & taxes", compare.Worse, figure("p90", 0.5, compare.Worse), figure("p5", -0.2, compare.Better), figure("p50", 0.01, compare.Unchanged))
		add("example.com/shop/cart.(*Cart).Total:for#1", compare.Better, figure("p5", -0.3, compare.Better))
		add("example.com/shop/cmd/shop.main", compare.Changed, figure("mean", 0.02, compare.Changed))
		add("example.com/shop/cart.(*Cart).Total", compare.Unchanged, figure("p5", 0.2, compare.Unchanged))
		r.Markers = append(r.Markers, compare.Marker{Place: compare.Place{ID: 1, Name: "hidden"}, Verdict: compare.Worse, Figures: []compare.Figure{figure("p5", 0.2, compare.Worse)}}) // by a filter
		return r
	}
	v := open(t, p, report.Options{Against: reporttest.Parse(t, old), Compared: result(true), Source: reporttest.Sources}, window(1000, 800))
	if got := v.names()[:4]; !slices.Equal(got, []string{"example.com/shop/cart.read <rates> & taxes", "example.com/shop/cart.(*Cart).Total:for#1", "example.com/shop/cmd/shop.main", "example.com/shop/cart.(*Cart).Total"}) {
		t.Errorf("it begins with %q", got)
	}
	expect(v, `[...document.querySelectorAll("#markers tbody tr:not(.space)")].slice(0, 4).map((r) => ["verdict", "change", "at", "old", "new", "p"].map((c) => r.querySelector("." + c).textContent).join(" "))`, []string{
		"worse +50.0% p90 1.00µs 1.50µs 0.002", "better -30.0% p5 1.00µs 700ns 0.002", "changed +2.0% mean 1.00µs 1.02µs 0.002", "unchanged ~ p5 1.00µs 1.20µs 0.002",
	})
	expect(v, `[...byID("verdict").options].map((o) => o.textContent).toSorted()`, []string{"any verdict", "better (1)", "changed (1)", "gone (1)", "new (1)", "unchanged (1)", "worse (1)"})
	expect(v, `["name", "verdict", "change", "at", "old", "new", "p", "self", "share", "place"].filter((c) => document.querySelector("th." + c).getBoundingClientRect().right > 1000)`, []string{})
	expect(v, `byID("rule").textContent.includes("alpha 0.05") && byID("rule").textContent.includes("threshold (5%)") && byID("rule").checkVisibility()`, true)
	v.openMarker("example.com/shop/cart.read <rates> & taxes")
	// Everything in red, blue or green is one of the words worse and better, or a change described
	// by them.
	const colors = `(() => {
		const colored = (color) => {
			const [r, g, b, a] = (color.match(/[\d.]+/g) ?? []).map(Number);
			return a !== 0 && Math.max(r, g, b) - Math.min(r, g, b) > 40;
		};
		const texts = new Set();
		for (const e of document.querySelectorAll("main *, header *")) {
			if (!e.checkVisibility() || e.closest("a, .cautions, #split, [aria-current], .listing, [data-visited]")) {
				continue;
			}
			const s = getComputedStyle(e);
			const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
			if ((own && colored(s.color)) || colored(s.backgroundColor) || (e.tagName === "rect" && colored(s.fill))) {
				texts.add(e.textContent);
			}
		}
		return [...texts].toSorted();
	})()`
	expect(v, colors, []string{"+50.0%", "-20.0%", "-30.0%", "1 better", "1 worse", "better", "worse"})
	expect(v, `[...document.querySelectorAll("#detail .verdict tbody tr")].map((r) => r.innerText.split("\t").join(" "))`, []string{
		"p90 1.00µs 1% 1.50µs 33% +50.0% +49.0% … +51.0% 0.002", "p5 1.00µs 1% 800ns 150% -20.0% -21.0% … -19.0% 0.002", "p50 1.00µs 1% 1.01µs 98% ~  0.002",
	})
	v.click(`[data-verdict="better"]`)
	if got := v.names(); !slices.Equal(got, []string{"example.com/shop/cart.(*Cart).Total:for#1"}) {
		t.Errorf("better are %q", got)
	}

	v = open(t, p, report.Options{Against: reporttest.Parse(t, old), Compared: result(false)})
	expect(v, `byID("rule").textContent`, "nothing is coloured: 1 marker; with 8 and 8 runs, no change can be told from chance: it takes 4 on each side")
	expect(v, `document.querySelector("th.self").ariaSort`, "descending")
	expect(v, `[...document.querySelectorAll("td.verdict")].map((c) => c.textContent).filter((text) => text !== "").toSorted()`, []string{"gone", "new", "too few"})
	expect(v, `document.querySelectorAll("main .more, main .less, header .more, header .less").length`, 0)
}

// Source lines have the values of their markers.
func TestPageSource(t *testing.T) {
	text := strings.Repeat("// Package cart is long.\n", 27) + "package cart\n\nfunc (c *Cart) Total() {\n\n\tfor range c.items {\n" + strings.Repeat("\t\t// more\n", 2000)
	p := reporttest.Parse(t, reporttest.Demo())
	v := open(t, p, report.Options{Source: func(_, file string, std bool) (report.Source, error) {
		if file != "cart/price.go" {
			return report.Source{}, fmt.Errorf("not found; -src DIR gives it")
		}
		return report.Source{Text: text}, nil
	}})
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	line := func(n int) []string {
		return eval[[]string](v, fmt.Sprintf(`[...[...document.querySelectorAll(".listing tbody tr")].find((r) => r.cells[3]?.textContent === "%d").cells].map((c) => c.textContent)`, n))
	}
	for n, want := range map[int][]string{
		30: {"3", "14.1ms", "10.6ms", "30", "func (c *Cart) Total() {"},
		31: {"", "", "", "31", "\n"},
		32: {"2,000", "9.06ms", "6.80ms", "32", "\tfor range c.items {"},
		35: {"0", "-", "-", "35", "\t\t// more"},
		62: {"987,654,321", "-", "-", "62", "\t\t// more"},
	} {
		if got := line(n); !slices.Equal(got, want) {
			t.Errorf("line %d: %q, want %q", n, got, want)
		}
	}
	expect(v, `document.querySelector(".listing tr.current").cells[3].textContent`, "32")
	// More of a long file is shown on demand.
	lines := eval[int](v, `document.querySelectorAll(".listing td.number").length`)
	v.click(".further button")
	if more := eval[int](v, `document.querySelectorAll(".listing td.number").length`); more <= lines || lines > 200 {
		t.Errorf("%d lines, then %d", lines, more)
	}
	// A line's values link to its marker.
	eval[bool](v, `document.querySelector('.listing a[href="#00c0ffee00000002"]').click() === undefined`)
	v.wait(`byID("detail-name").textContent === "example.com/shop/cart.(*Cart).Total"`)
	v.openMarker("example.com/shop/cmd/shop.main")
	expect(v, `document.querySelector(".source").innerText.split("\n").filter((l) => l).join(": ")`, "cmd/shop/main.go:12: not found; -src DIR gives it")
}

// The name of a loop is followed by its header, if the line in the source has it.
func TestPageHeaders(t *testing.T) {
	text := strings.Repeat("//\n", 27) + "package cart\n\nfunc (c *Cart) Total() {\n\n\tfor range c.items {\n\t}\n}\n"
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: func(pkg, file string, std bool) (report.Source, error) {
		if file != "cart/price.go" {
			return report.Source{}, fmt.Errorf("not found")
		}
		return report.Source{Text: text}, nil
	}})
	expect(v, `[...document.querySelectorAll("#markers .header")].map((h) => h.parentElement.textContent)`, []string{"(*Cart).Total:for#1for range c.items"})
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "c.items"))
	if got := v.names(); !slices.Equal(got, []string{"example.com/shop/cart.(*Cart).Total:for#1"}) {
		t.Errorf("found %q", got)
	}
}

// The listing grows with the window, and with the panel when its upper edge is dragged.
func TestPageGrows(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: func(string, string, bool) (report.Source, error) {
		return report.Source{Text: strings.Repeat("// more\n", 2000)}, nil
	}})
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	height := func() float64 {
		return eval[float64](v, `document.querySelector(".listing").getBoundingClientRect().height`)
	}
	first := height()
	eval[bool](v, `byID("split").focus() === undefined`)
	v.do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	moved := height()
	v.do(chromedp.KeyEvent(kb.ArrowDown))
	if back := height(); first < 200 || moved != first+80 || back != first+40 {
		t.Errorf("the listing is %v high, after two steps up %v, after one down %v", first, moved, back)
	}
	v = open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: reporttest.Sources}, window(1440, 1500))
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	if grown := height(); grown < first+250 {
		t.Errorf("the listing is %v high in a window of 1,500 pixels, and %v in one of 900", grown, first)
	}
}

// Places link to the configured URL, and are text if a file has none.
func TestPageLinks(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: reporttest.Sources, Link: func(pkg, file string, std bool) string {
		if file == "cart/price.go" && pkg == "example.com/shop/cart" && !std {
			return "https://example.com/blob/main/cart/price.go#L{line}"
		}
		return ""
	}})
	places := eval[[]string](v, `[...document.querySelectorAll("#markers tbody tr:not(.space)")].map((r) => (r.querySelector(".place a")?.href ?? "none") + " " + r.querySelector(".place").textContent)`)
	slices.Sort(places)
	if want := "https://example.com/blob/main/cart/price.go#L30 cart/price.go:30"; places[0] != want || places[len(places)-1] != "none cmd/shop/main.go:12" {
		t.Errorf("the places lead to\n%s", strings.Join(places, "\n"))
	}
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	expect(v, `document.querySelector("#detail .what a").href`, "https://example.com/blob/main/cart/price.go#L32")
	expect(v, `document.querySelector("#detail .what a").rel`, "noopener noreferrer")
	expect(v, `document.querySelector(".listing .number a").href`, "https://example.com/blob/main/cart/price.go#L1")
	// A click on the link does not change the page.
	expect(v, `(addEventListener("click", (e) => e.preventDefault(), true), document.querySelector('.place a[href$="L40"]').click(), byID("detail-name").textContent)`, "example.com/shop/cart.(*Cart).Total:for#1")
	v = open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Source: reporttest.Sources})
	expect(v, `document.querySelectorAll(".place a").length`, 0)
}

// The panel has callers and readings of collectors, with links to the callers.
func TestPageCallers(t *testing.T) {
	p := reporttest.Few(51)
	m := &p.Markers[2]
	m.Readings = []profile.Reading{
		{Collector: "cache", Scopes: 3, Dropped: 1, Values: []profile.Value{{Name: "waited_ns", Sum: 45_600, Self: 600}}},
		{Collector: "io", Scopes: 3, Values: []profile.Value{{Name: "read_bytes"}}},
	}
	m.Sizes = []profile.SizeBucket{
		{K: 0, Count: 1, SumNS: 9},
		{K: 3, Count: 1200, SumSize: profile.Uint128{Lo: 6600}, SumNS: 660_000, SumSq: profile.Uint128{Lo: 363_000_000}},
	}
	v := open(t, p, report.Options{})
	v.openMarker(m.Name)
	expect(v, `[...document.querySelectorAll(".sizes tbody tr")].map((r) => r.innerText.trim().replaceAll("\t", " "))`,
		[]string{"0 1 0.00 9.00ns 0.00ns -", "4–7 1,200 5.50 550ns 0.00ns 100ns"})
	c := &m.Callers[0]
	expect(v, `[...document.querySelectorAll(".callers tbody tr")[0].cells].slice(0, 3).map((c) => c.textContent)`,
		[]string{c.Name, units.Count(c.Count), units.Duration(float64(c.TotalNS()))})
	expect(v, `document.querySelectorAll(".callers tbody tr").length`, len(m.Callers))
	expect(v, `document.querySelector(".readings tbody").innerText.trim().replaceAll("\t", " ")`, "cache waited_ns 45.6µs 600ns 15.2µs 3")
	expect(v, `[...document.querySelectorAll(".readings .note")].map((n) => n.textContent.trim())`,
		[]string{"cache: 1 scope left out, whose two readings are missing or can't be compared", "io: 0 in all that was read, 3 scopes"})
	v.click(".callers tbody a")
	v.wait(`byID("detail-name").textContent === ` + quoted(c.Name))
}

// Estimates have their error.
func TestPageSampled(t *testing.T) {
	p := reporttest.Few(51)
	m := &p.Markers[2]
	m.Sample, m.Samples = 10, 400
	v := open(t, p, report.Options{})
	expect(v, `[...document.querySelectorAll("th.mean-se, th.count-se")].map((h) => h.textContent).join()`, "±")
	v.openMarker(m.Name)
	if got := strings.Join(strings.Fields(v.detail("sampled")+v.detail("recorded")), " "); got != "sampled 1:10recorded 400" {
		t.Errorf("the panel says %q", got)
	}
}
