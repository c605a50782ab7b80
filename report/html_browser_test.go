package report_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/browsertest"
)

var startBrowser = sync.OnceValues(func() (*browsertest.Browser, error) { return browsertest.Start(context.Background()) })
var browserStarted bool

func TestMain(m *testing.M) {
	code := m.Run()
	if browserStarted {
		if b, err := startBrowser(); err == nil {
			b.Close()
		}
	}
	os.Exit(code)
}

// A view is a page in the browser.
type view struct {
	*testing.T
	*browsertest.Tab
}

type action = chromedp.Action[chromedp.Void]

// open writes the page and opens it, as a file. When the test ends it must have
// neither complained nor asked for anything.
func open(t *testing.T, p *profile.Profile, o report.Options, prepare ...action) *view {
	t.Helper()
	v := openAnyway(t, p, o, prepare...)
	v.wait(`performance.getEntriesByName("markgen:ready").length > 0`)
	t.Cleanup(func() {
		if problems := v.Problems(); len(problems) > 0 {
			t.Errorf("the page has problems:\n%s", strings.Join(problems, "\n"))
		}
	})
	return v
}

func openAnyway(t *testing.T, p *profile.Profile, o report.Options, prepare ...action) *view {
	t.Helper()
	browserStarted = true
	b, err := startBrowser()
	if err != nil {
		t.Fatal(err)
	}
	o.Format = "html"
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(write(t, p, o)), 0o666); err != nil {
		t.Fatal(err)
	}
	tab, err := b.Open("file://"+filepath.ToSlash(file), append([]action{window(1440, 900)}, prepare...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return &view{t, tab}
}

func window(width, height int64) action { return chromedp.EmulateViewport(width, height) }

func (v *view) do(actions ...action) {
	v.Helper()
	if err := v.Do(actions...); err != nil {
		v.Fatal(err)
	}
}

// wait waits for a script to come to true.
func (v *view) wait(script string) {
	v.Helper()
	v.do(func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Poll[bool](script)(ctx, t)
		return none, err
	})
}

// eval gives what a script comes to.
func eval[T any](v *view, script string) T {
	v.Helper()
	value, err := browsertest.Eval[T](v.Tab, script)
	if err != nil {
		v.Fatalf("%v in\n%s", err, script)
	}
	return value
}

// expect compares what a script comes to.
func expect[T any](v *view, script string, want T) {
	v.Helper()
	if got := eval[T](v, script); !reflect.DeepEqual(got, want) {
		v.Errorf("%s\nis   %v\nwant %v", script, got, want)
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// names are those of the markers in the lines of the table that are there.
func (v *view) names() []string {
	v.Helper()
	return eval[[]string](v, `[...document.querySelectorAll("#markers tbody a")].map((a) => a.title)`)
}

// click clicks on the one element that the selector finds.
func (v *view) click(selector string) {
	v.Helper()
	v.do(chromedp.Click(chromedp.CSS(selector)))
}

// openMarker opens the panel of the marker of that name.
func (v *view) openMarker(name string) {
	v.Helper()
	eval[bool](v, `[...document.querySelectorAll("#markers tbody a")].find((a) => a.title === `+quoted(name)+`).click() === undefined`)
	v.wait(`!document.querySelector("#detail").hidden && document.querySelector("#detail-name").textContent === ` + quoted(name))
}

// detail is the text of the figures in the panel, by their words.
func (v *view) detail(word string) string {
	v.Helper()
	return eval[string](v, `[...document.querySelectorAll(".figures tbody tr")].find((r) => r.cells[0].textContent === `+quoted(word)+`)?.innerText.replaceAll("\t", " ") ?? "none"`)
}

// orders are the columns that numbers are in, and what they are sorted by.
var orders = map[string]func(m *profile.Marker) float64{
	"count":  func(m *profile.Marker) float64 { return float64(m.Count) },
	"total":  func(m *profile.Marker) float64 { return float64(m.TotalNS()) },
	"self":   func(m *profile.Marker) float64 { return float64(m.SelfNS) },
	"mean":   (*profile.Marker).MeanNS,
	"stddev": (*profile.Marker).StddevNS,
	"min":    func(m *profile.Marker) float64 { return float64(m.MinNS) },
	"p50":    func(m *profile.Marker) float64 { return m.QuantileNS(0.5) },
	"p90":    func(m *profile.Marker) float64 { return m.QuantileNS(0.9) },
	"p99":    func(m *profile.Marker) float64 { return m.QuantileNS(0.99) },
	"max":    func(m *profile.Marker) float64 { return float64(m.MaxNS) },
}

// inOrder are the names of the markers in the order of a column: first as a first
// click sorts, then as a second does.
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
		if x, ok := key(a).(string); ok {
			return cmp.Compare(x, key(b).(string))
		}
		timed := func(m *profile.Marker) int {
			if column != "count" && len(m.Buckets) == 0 {
				return 1
			}
			return 0
		}
		if again { // the smallest first, and last what was not timed
			return cmp.Or(cmp.Compare(timed(a), timed(b)), cmp.Compare(key(a).(float64), key(b).(float64)))
		}
		return -cmp.Compare(key(a).(float64), key(b).(float64))
	}
	list := make([]*profile.Marker, len(p.Markers))
	for i := range p.Markers {
		list[i] = &p.Markers[i]
	}
	slices.SortStableFunc(list, func(a, b *profile.Marker) int { // stable: by name before
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

var sortable = []string{"name", "kind", "count", "total", "self", "mean", "stddev", "min", "p50", "p90", "p99", "max", "place"}

// Sorted by each column in either direction, the order is Go's.
func TestPageSort(t *testing.T) {
	p := profiletest.Make(60, 3)
	v := open(t, p, report.Options{Sort: "self"}, window(1600, 3000))
	expect(v, `[...document.querySelectorAll("#markers thead button")].map((b) => b.textContent)`, sortable)
	if got, want := v.names(), inOrder(p, "self", false); !slices.Equal(got, want) {
		t.Errorf("it begins with\n%q\nwant\n%q", got, want)
	}
	expect(v, `document.querySelector("th.self").ariaSort`, "descending")
	v.click(`th.kind button`) // the column that the clicks below begin with is another
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
}

// Each cell is as the text report writes it, and its title has the figure in full.
func TestPageCells(t *testing.T) {
	p := parse(t, demo())
	v := open(t, p, report.Options{})
	for i := range p.Markers {
		m := &p.Markers[i]
		want := []string{report.Count(m.Count)}
		for _, ns := range []float64{float64(m.TotalNS()), float64(m.SelfNS), m.MeanNS(), m.StddevNS(), float64(m.MinNS), m.QuantileNS(0.5), m.QuantileNS(0.9), m.QuantileNS(0.99), float64(m.MaxNS)} {
			text := report.Duration(ns)
			if len(m.Buckets) == 0 {
				text = "-"
			}
			want = append(want, text)
		}
		for k, column := range []string{"count", "total", "self", "mean", "stddev", "min", "p50", "p90", "p99", "max"} {
			got := eval[string](v, fmt.Sprintf(`document.querySelectorAll("#markers tbody td.%s")[%d].textContent`, column, i))
			if strings.HasSuffix(want[k], ".00ns") && len(got) < len(want[k]) {
				got = strings.TrimSuffix(got, "ns") + ".00ns" // whole numbers of ns have no fraction
			}
			if got != want[k] && strings.TrimRight(strings.TrimSuffix(want[k], "ns"), "0") != strings.TrimSuffix(got, "ns")+"." {
				t.Errorf("%s of %s is %s, want %s", column, m.Name, got, want[k])
			}
		}
	}
	expect(v, `document.querySelectorAll("#markers tbody td.total")[1].title`, "9,061,377 ns")
	expect(v, `document.querySelectorAll("#markers tbody td.mean")[1].title`, "4,530.688 ns")
	expect(v, `document.querySelector("dl.head").innerText.replaceAll("\n", " ").includes("app shop (go1.26.0 linux/amd64)")`, true)
}

// Numbers are written as by package report.
func TestPageNumbers(t *testing.T) {
	v := open(t, parse(t, demo()), report.Options{})
	values := []float64{0, 0.004, 0.125, 0.375, 1, 2.5, 9.994, 9.995, 9.996, 12.25, 12.35, 12.75, 99.94, 99.95, 100.5, 101.5, 999.4, 999.5, 999.6, 1234, 12250, 999499, 999500,
		1e6, 12.25e6, 59.9e9, 59.94e9, 59.95e9, 60e9, 125e9, 3599.4e9, 3599.6e9, 3600e9, 11220e9, 359999e9, 360000e9, 4e14, 1.8e19}
	for i := range 3000 {
		values = append(values, math.Exp(float64(i)/67)/float64(1+i%7), float64(i)/8)
	}
	list, _ := json.Marshal(values)
	for i, got := range eval[[]string](v, fmt.Sprintf(`%s.map((v) => duration(v))`, list)) {
		if want := report.Duration(values[i]); got != want {
			t.Errorf("%v ns are %s, want %s", values[i], got, want)
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

// Numbers past 2^53 lose no digit, neither shown nor sorted.
func TestPageExact(t *testing.T) {
	const large = 1<<63 + 12345
	p := few(51)
	for i := range p.Markers {
		m := &p.Markers[i]
		m.CountOnly, m.Count = false, large+uint64([]int{1, 2, 0}[i])
		m.Buckets = []profile.Bucket{{K: 1, Count: m.Count, SumNS: m.Count*2 + 1, SumSq: profile.Square(m.Count)}}
		m.Buckets[0].SumNS = m.Count // an average of 1 would be in bucket 0; digits are what matters here
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
		selves = append(selves, report.Count(large+1-uint64(i))+" ns")
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
	p := profiletest.Make(60, 3)
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
	v.click("#visited")
	visited := 0
	for i := range p.Markers {
		if p.Markers[i].Count > 0 {
			visited++
		}
	}
	if got := v.names(); len(got) != visited || visited == 60 {
		t.Errorf("%d markers were visited, want %d", len(got), visited)
	}
	// What is found can be sorted.
	v.click("th.max button")
	if got, want := v.names(), inOrder(p, "max", false)[:10]; !slices.Equal(got[:10], want) {
		t.Errorf("by max\n%q\nwant\n%q", got[:10], want)
	}
}

// colored is a script that counts the colours of a canvas with many pixels each.
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

// A marker's panel has its figures and its histogram.
func TestPageMarker(t *testing.T) {
	p := parse(t, demo())
	v := open(t, p, report.Options{})
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	for word, want := range map[string]string{
		"count": "count 2,000", "total": "total 9.06ms", "self": "self 6.80ms 75% of total, <0.1% of all", "mean": "mean 4.53µs", "min": "min 90ns",
		"p50": "p50 3.43µs in 2.05µs – 4.10µs", "max": "max 13.4µs", "open": "none",
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
	expect(v, `document.querySelector("#detail canvas").ariaLabel`, "distribution of times: most passages, 463 of 2,000, took 4.10µs – 8.19µs")
	expect(v, `[...document.querySelectorAll(".choices [aria-pressed=true]")].map((b) => b.textContent)`, []string{"passages", "log"})
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

	// What has no times says why.
	v.openMarker("example.com/shop/cart.cache missed")
	expect(v, `document.querySelector("#detail canvas") === null`, true)
	expect(v, `document.querySelector(".parts > .note").textContent`, "its passages were counted and not timed")
	v.openMarker("example.com/shop/cart.(*Cart).Total:if#1.then")
	expect(v, `document.querySelector(".parts > .note").textContent`, "the marker was never passed")

	// The address leads to the marker.
	expect(v, `location.hash`, "#00c0ffee00000004")
	v.click("#detail .close")
	expect(v, `byID("detail").hidden && location.hash === ""`, true)
	eval[string](v, `location.hash = "00c0ffee00000001"`)
	v.wait(`document.querySelector("#detail-name")?.textContent === "example.com/shop/cmd/shop.main"`)
	expect(v, `document.querySelector("tr[aria-current=true] a").title`, "example.com/shop/cmd/shop.main")
}

// Everything can be done with keys.
func TestPageKeys(t *testing.T) {
	p := profiletest.Make(300, 1)
	v := open(t, p, report.Options{})
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
	// Only one line is on the way of Tab, and the heads of the columns are.
	expect(v, `[...document.querySelectorAll("#markers tbody a")].filter((a) => a.tabIndex === 0).length`, 1)
	expect(v, `document.querySelectorAll("#markers thead button").length`, 13)
	eval[bool](v, `document.querySelector("th.p99 button").focus() === undefined`)
	v.do(chromedp.KeyEvent(kb.Enter))
	expect(v, `document.querySelector("th.p99").ariaSort`, "descending")
}

// What assistive programs are told of the table.
func TestPageSemantics(t *testing.T) {
	v := open(t, profiletest.Make(300, 1), report.Options{})
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

// Light and dark follow the system until the switch is used; text can be read in both.
func TestPageTheme(t *testing.T) {
	v := open(t, parse(t, demo()), report.Options{}, browsertest.ColorScheme("light"))
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	const ground = `getComputedStyle(document.body).backgroundColor`
	// The contrast of texts with the ground, WCAG 2.2, 1.4.3.
	const contrast = `(() => {
		const parse = (color) => color.match(/[\d.]+/g).slice(0, 3).map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
		const light = (color) => { const [r, g, b] = parse(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const probe = document.body.appendChild(document.createElement("span"));
		const of = (name) => { probe.style.color = "var(" + name + ")"; return light(getComputedStyle(probe).color); };
		let worst = 99;
		for (const text of ["--ink", "--faint", "--link", "--alarm", "--more", "--less"]) {
			for (const on of ["--ground", "--raised", "--open"]) {
				const [a, b] = [of(text), of(on)];
				worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
			}
		}
		probe.remove();
		return worst;
	})()`
	const white, black = "rgb(255, 255, 255)", "rgb(23, 25, 29)"
	check := func(want, switched string) {
		t.Helper()
		v.wait(ground + " === " + quoted(want))
		expect(v, `byID("theme").textContent`, "colours: "+switched)
		if ratio := eval[float64](v, contrast); ratio < 4.5 {
			t.Errorf("on %s the contrast of some text is %.2f", want, ratio)
		}
	}
	check(white, "auto")
	light := eval[string](v, `document.querySelector("#detail canvas").toDataURL()`)
	v.do(browsertest.ColorScheme("dark"))
	check(black, "auto")
	v.wait(`document.querySelector("#detail canvas").toDataURL() !== ` + quoted(light)) // it is drawn in the dark colours
	v.click("#theme")
	check(white, "light")
	v.click("#theme")
	check(black, "dark")
	v.do(browsertest.ColorScheme("light"))
	check(black, "dark")
	v.click("#theme")
	check(white, "auto")
}

// Two profiles are in one table and in one chart.
func TestPageCompared(t *testing.T) {
	old := demo()
	old.Tables[0].Times[1] = []uint64{1_000_000, 900_000}
	old.Tables[0].Text = strings.Replace(old.Tables[0].Text, "m\t00c0ffee00000005\tregion\t1\t40\t2\t1\t-\t-\t1\texample.com/shop/cart.read <rates> & taxes", "m\t00c0ffee00000009\tregion\t1\t40\t2\t1\t-\t-\t1\texample.com/shop/cart.gone", 1)
	p := parse(t, demo())
	v := open(t, p, report.Options{Against: parse(t, old)}, window(1900, 1000))
	cells := func(name string) []string {
		return eval[[]string](v, `[...document.querySelectorAll("#markers tbody tr:not(.space)")].filter((r) => r.querySelector("a").title === `+quoted(name)+`).map((r) => ["count", "count-change", "total", "total-change", "mean", "mean-change"].map((c) => r.querySelector("." + c).textContent))[0]`)
	}
	for name, want := range map[string][]string{
		"example.com/shop/cart.(*Cart).Total":           {"3", "+50.0%", "14.1ms", "×7.42", "4.70ms", "×4.95"},
		"example.com/shop/cart.(*Cart).Total:for#1":     {"2,000", "±0%", "9.06ms", "±0%", "4.53µs", "±0%"},
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
	expect(v, `Chart.getChart(document.querySelector("#detail canvas")).data.datasets.map((d) => d.label + " " + d.data.filter((n) => n > 0).join())`, []string{"new 1,1,1", "old 2"})
	if got := strings.Join(strings.Fields(v.detail("mean")), " "); got != "mean 4.70ms 950µs ×4.95" {
		t.Errorf("the panel says %q", got)
	}
	expect(v, `[...document.querySelectorAll(".buckets tbody tr")].map((r) => r.cells[0].textContent).join()`, "new,new,new,old")
	v.openMarker("example.com/shop/cart.gone")
	if got := strings.Join(strings.Fields(v.detail("count")), " "); got != "count - 3" {
		t.Errorf("the panel says %q", got)
	}
	expect(v, `document.querySelector("table.head thead").innerText.split(/\s+/).filter((w) => w).join()`, "new,old")
}

// Lines of source have the figures of their markers.
func TestPageSource(t *testing.T) {
	text := strings.Repeat("// Package cart is long.\n", 27) + "package cart\n\nfunc (c *Cart) Total() {\n\n\tfor range c.items {\n" + strings.Repeat("\t\t// more\n", 2000)
	p := parse(t, demo())
	v := open(t, p, report.Options{Source: func(file string, std bool) (report.Source, error) {
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
	// A line's figures lead to its marker.
	eval[bool](v, `document.querySelector('.listing a[href="#00c0ffee00000002"]').click() === undefined`)
	v.wait(`byID("detail-name").textContent === "example.com/shop/cart.(*Cart).Total"`)
	v.openMarker("example.com/shop/cmd/shop.main")
	expect(v, `document.querySelector(".source").innerText.split("\n").filter((l) => l).join(": ")`, "cmd/shop/main.go:12: not found; -src DIR gives it")
}

// Callers and what collectors read are in the panel, with a way to the callers.
func TestPageCallers(t *testing.T) {
	p := few(51)
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
		[]string{c.Name, report.Count(c.Count), report.Duration(float64(c.TotalNS()))})
	expect(v, `document.querySelectorAll(".callers tbody tr").length`, len(m.Callers))
	expect(v, `document.querySelector(".readings tbody").innerText.trim().replaceAll("\t", " ")`, "cache waited_ns 45.6µs 600ns 15.2µs 3")
	expect(v, `[...document.querySelectorAll(".readings .note")].map((n) => n.textContent.trim())`,
		[]string{"cache: 1 scope left out, whose two readings are missing or can't be compared", "io: 0 in all that was read, 3 scopes"})
	v.click(".callers tbody a")
	v.wait(`byID("detail-name").textContent === ` + quoted(c.Name))
}

// Estimates say how far they may be off.
func TestPageSampled(t *testing.T) {
	p := few(51)
	m := &p.Markers[2]
	m.Sample, m.Samples = 10, 400
	v := open(t, p, report.Options{})
	expect(v, `[...document.querySelectorAll("th.mean-se, th.count-se")].map((h) => h.textContent).join()`, "±")
	v.openMarker(m.Name)
	if got := strings.Join(strings.Fields(v.detail("sampled")+v.detail("recorded")), " "); got != "sampled 1:10recorded 400" {
		t.Errorf("the panel says %q", got)
	}
}

// Text of the data is text in the page, and nothing in it runs.
func TestPageHostile(t *testing.T) {
	p := hostileProfile()
	old := hostileProfile()
	old.Markers = old.Markers[1:]
	v := open(t, p, report.Options{Against: old, Source: func(string, bool) (report.Source, error) {
		return report.Source{Text: strings.Repeat(hostile+"\n", 400)}, nil
	}}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.alerts = 0; window.alert = () => alerts++`})
		return none, err
	})
	for i := range p.Markers {
		name := eval[string](v, fmt.Sprintf(`document.querySelectorAll("#markers tbody a")[%d].title`, i))
		if !strings.Contains(name, "</script><img src=x onerror=") || strings.Contains(name, "\u202e") {
			t.Errorf("marker %d is %q", i, name)
		}
		v.openMarker(name)
		expect(v, `document.querySelector("#detail .what").textContent.includes("<img")`, true)
		v.click(`[aria-label="height: time"]`)
	}
	expect(v, `document.querySelector(".cautions li").textContent.includes("<img src=x")`, true)
	expect(v, `document.title.includes("<img src=x")`, true)
	expect(v, `document.querySelectorAll("img, iframe, object, embed").length`, 0)
	expect(v, `document.querySelectorAll("script").length`, 13)
	expect(v, `window.alerts`, 0)
}

// 20,000 markers are no different.
func TestPageLarge(t *testing.T) {
	p := profiletest.Make(20_000, 1)
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
		expect(v, `[...document.querySelectorAll("#markers tbody td:not(.strip, .place)")].filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.textContent)`, []string{}) // no figure is cut
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

// On a narrow screen the page is as wide as that; only the table scrolls sideways.
func TestPageNarrow(t *testing.T) {
	v := open(t, parse(t, demo()), report.Options{Source: sources}, window(360, 640))
	const fits = `document.documentElement.scrollWidth <= 360`
	expect(v, fits, true)
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	expect(v, fits, true)
	eval[bool](v, `document.querySelector("th.place button").scrollIntoView() === undefined`)
	v.click("th.place button")
	expect(v, `document.querySelector("th.place").ariaSort`, "ascending")
	expect(v, `document.querySelector("#markers tbody th").getBoundingClientRect().left >= 0`, true) // the names stay
}

// Where the page can't be shown it says so, and what to do.
func TestPageUnable(t *testing.T) {
	v := openAnyway(t, parse(t, demo()), report.Options{}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `delete window.DecompressionStream`})
		return none, err
	})
	v.wait(`!byID("problem").hidden`)
	expect(v, `byID("problem").textContent.includes("browsers from 2023 on can, and markgen report without -format prints the same as text")`, true)

	v = openAnyway(t, parse(t, demo()), report.Options{}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return none, err
	})
	expect(v, `document.querySelector("noscript .problem").checkVisibility() && document.querySelector("dl.head").checkVisibility()`, true)
}

// Without markers, and without times, the page says what there is.
func TestPageEmpty(t *testing.T) {
	v := open(t, &profile.Profile{}, report.Options{})
	expect(v, `document.querySelector("header .note").textContent`, "no markers: the program registered none before it ended")
	p := few(51)
	p.Markers = p.Markers[1:2] // it only counts
	p.Markers[0].Buckets, p.Markers[0].CountOnly = nil, true
	v = open(t, p, report.Options{})
	expect(v, `[...document.querySelectorAll("#markers thead button")].map((b) => b.textContent)`, []string{"name", "kind", "count", "place"})
}
