package report_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tier"
)

// card returns the text of the card with that anchor, one line for each part.
func (v *view) card(anchor string) []string {
	v.Helper()
	v.wait(`byID(` + quoted(anchor) + `) !== null`)
	eval[bool](v, `byID(`+quoted(anchor)+`).scrollIntoView() === undefined`)
	v.wait(`byID(` + quoted(anchor) + `).matches(":has(.further), .unvisited")`)
	return eval[[]string](v, `[...byID(`+quoted(anchor)+`).querySelectorAll("h4, .title li, .signature, .doc, dl > div, .notes li, figcaption")].map((e) => e.matches("div") ? e.children[0].textContent + " " + e.children[1].textContent : e.textContent)`)
}

// shown returns the anchors of the visible cards.
func (v *view) shown() []string {
	v.Helper()
	return eval[[]string](v, `[...document.querySelectorAll("#cards .card")].filter((c) => c.checkVisibility({ contentVisibilityAuto: false })).map((c) => c.id)`)
}

func TestPageAPI(t *testing.T) {
	v := open(t, reporttest.Allocating(), report.Options{Source: reporttest.LibrarySource})
	expect(v, `byID("view").checkVisibility() && !byID("cards").checkVisibility() && !byID("exported").checkVisibility()`, true)
	v.click(`#views [href="#api"]`)
	v.wait(`byID("cards").checkVisibility() && !byID("view").checkVisibility()`)
	expect(v, `byID("shown").textContent`, "10 functions")
	exported := []string{"main.Main", "example.com/lib/heap.New", "heap.Heap.Push", "wire.Encode", "lib.Open", "heap.Fix", "example.com/other/heap.New"}
	all := slices.Insert(slices.Clone(exported), 3, "heap.TestNew", "heap.parse", "heap.Heap.up")
	if got := v.shown(); !slices.Equal(got, all) {
		t.Errorf("the cards are\n%q, want\n%q", got, all)
	}
	expect(v, `[...document.querySelectorAll(".package")].map((p) => [...p.querySelectorAll("h2, h3, h2 + .doc")].map((e) => e.textContent).join("; "))`, []string{
		"example.com/app; functions",
		"example.com/lib/heap; Package heap keeps things in order.; functions; type Heap; not exported: functions; not exported: type Heap",
		"example.com/lib/internal/wire; functions",
		"example.com/lib/v2; functions",
		"example.com/other/heap; functions",
	})

	figures := []string{"calls 1,020", "mean 96.7ns", "p50 91.4ns", "p99 207ns", "max 231ns"}
	for anchor, want := range map[string][]string{
		"example.com/lib/heap.New": slices.Concat([]string{"New", "allocates 1.75 objects", "func New[T any](less func(a, b T) bool, list ...T) (h *Heap[T])", "New returns a Heap that orders by less."},
			figures, []string{"bytes a call 1.01KiB", "objects a call 1.75", "memory 1.75 objects and 1,036 bytes a call, of these 0.5 and 12 by itself; 4 calls, of which 75 % allocate", "recursive: outermost calls", "9.1% of the self time of all markers", "what 1 call allocated was not read", "time of a call", "memory allocated in a call"}),
		"heap.Heap.Push": slices.Concat([]string{"Heap.Push", "allocation-free", "func (h *Heap[T]) Push(x T)", "Push adds x."},
			figures, []string{"bytes a call 0B", "objects a call 0", "memory nothing in 1,020 calls: with 95 % confidence less than one call in 340 allocates", "9.1% of the self time of all markers", "time of a call"}),
		"lib.Open": {"Open", "never called"},
	} {
		if got := v.card(anchor); !slices.Equal(got, want) {
			t.Errorf("the card of %s has\n%q, want\n%q", anchor, got, want)
		}
	}
	// The bars are the buckets, each with its values; their scale is from the minimum to the
	// maximum.
	expect(v, `[...byID("example.com/lib/heap.New").querySelectorAll(".spread:last-child title")].map((t) => t.textContent)`, []string{
		"0B: 1 call, 25%; 0B, 0.0% of the memory", "16B – 32B: 2 calls, 50%; 48B, 1.2% of the memory", "4.00KiB – 8.00KiB: 1 call, 25%; 4.00KiB, 99% of the memory",
	})
	expect(v, `[...byID("example.com/lib/heap.New").querySelectorAll(".spread:last-child text")].map((t) => t.textContent)`, []string{"0", "16B", "64B", "256B", "1KiB", "4KiB"})
	expect(v, `byID("example.com/lib/heap.New").querySelector(".spread:last-child svg").ariaLabel`, "memory allocated in a call: most calls, 2 of 4, have 16B – 32B; from 0B to 8.00KiB")

	v.click("#exported")
	if got := v.shown(); !slices.Equal(got, exported) {
		t.Errorf("exported are\n%q, want\n%q", got, exported)
	}
	v.click("#visited")
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "HEAP returns"))
	if got := v.shown(); !slices.Equal(got, []string{"example.com/lib/heap.New"}) {
		t.Errorf("found %q", got)
	}
	expect(v, `byID("shown").textContent`, "1 of 10 functions")
	expect(v, `[...document.querySelectorAll("#cards section")].filter((s) => s.checkVisibility()).map((s) => s.id)`, []string{"pkg:example.com/lib/heap", "pkg:example.com/lib/heap:"})
	v.click(`#views [href="#table"]`)
	v.wait(`byID("view").checkVisibility()`)
	if got := v.names(); !slices.Equal(got, []string{"example.com/lib/heap.New"}) {
		t.Errorf("the table shows %q", got)
	}
	// Allocations of calls are in the table, too.
	expect(v, `["bytes", "objects"].map((c) => document.querySelector("#markers tbody td." + c).textContent)`, []string{"1.01KiB", "1.75"})
	expect(v, `document.querySelector("#markers tbody td.bytes").title`, "4,144 bytes in all")
}

// Shapes are shown with their evidence, and can be searched.
func TestPageAPIShapes(t *testing.T) {
	p := reporttest.Library()
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Name == "example.com/other/heap.Fix" {
			sized := reporttest.Grown(12)
			sized.ID, sized.Package, sized.Name = m.ID, m.Package, m.Name
			*m = sized
		}
	}
	v := open(t, p, report.Options{API: true})
	v.card("heap.Fix")
	expect(v, `[...byID("heap.Fix").querySelectorAll(".title li")].map((e) => e.textContent)`, []string{"O(n)", "start-up cost"})
	expect(v, `[...byID("heap.Fix").querySelectorAll(".evidence dt")].map((e) => e.textContent)`, []string{"growth", "start-up"})
	expect(v, `byID("heap.Fix").querySelector(".evidence dd").textContent.startsWith("O(n), 49.9ns + 3ns · n ± 5 %")`, true)
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "o(n) start"))
	if got := v.shown(); !slices.Equal(got, []string{"heap.Fix"}) {
		t.Errorf("found %q", got)
	}
}

// URLs lead to functions, by any of their names, and to packages.
func TestPageAPILinks(t *testing.T) {
	v := open(t, reporttest.Library(), report.Options{Source: reporttest.LibrarySource})
	const current = `(document.querySelector(".card[aria-current]")?.id ?? "none")`
	for address, want := range map[string]string{
		"heap.Heap.Push":                     "heap.Heap.Push",
		"Heap.Push":                          "heap.Heap.Push",
		"example.com/lib/heap.(*Heap).Push":  "heap.Heap.Push",
		"example.com%2Flib%2Fheap.Heap.Push": "heap.Heap.Push",
		"example.com/other/heap.New":         "example.com/other/heap.New",
		"example.com/lib/heap.New":           "example.com/lib/heap.New",
		"heap.New":                           "none",
		"Encode":                             "wire.Encode",
		"100%":                               "none",
	} {
		eval[string](v, `location.hash = `+quoted(address))
		v.wait(current + ` === ` + quoted(want))
		if want != "none" {
			expect(v, `document.activeElement.id`, want)
			expect(v, `byID("cards").checkVisibility() && byID("detail").hidden`, true)
		}
	}
	v.click(`.contents a[href="#pkg%3Aexample.com%2Fother%2Fheap"]`)
	v.wait(`document.activeElement.id === "pkg:example.com/other/heap"`)
	// The panel has all values, in both views.
	eval[string](v, `location.hash = "Fix"`)
	v.wait(current + ` === "heap.Fix"`)
	v.click(`.card[aria-current] .further a`)
	v.wait(`!byID("detail").hidden`)
	expect(v, `byID("detail-name").textContent + " " + byID("cards").checkVisibility()`, "example.com/other/heap.Fix true")
	v.click("#detail .close")
	v.wait(`byID("detail").hidden && location.hash === "" && document.activeElement.id === "heap.Fix"`)
}

func TestPageAPIKeys(t *testing.T) {
	v := open(t, reporttest.Library(), report.Options{API: true, Source: reporttest.LibrarySource})
	at := `document.activeElement.id`
	list := v.shown()
	if want := []string{"example.com/lib/heap.New", "heap.Heap.Push", "lib.Open", "heap.Fix", "example.com/other/heap.New"}; !slices.Equal(list, want) {
		t.Fatalf("the catalogue has %q, want %q", list, want)
	}
	expect(v, `byID("exported").checkVisibility()`, false) // there are no others
	v.do(chromedp.KeyEvent("/"), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("e"), chromedp.KeyEvent(kb.ArrowDown))
	expect(v, at, list[0])
	v.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	expect(v, at, list[1])
	v.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowDown))
	expect(v, at, list[4])
	expect(v, `(() => { const a = document.activeElement.getBoundingClientRect(), b = byID("cards").getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom + 1; })()`, true)
	v.do(chromedp.KeyEvent(kb.Home))
	expect(v, at, list[0])
	v.do(chromedp.KeyEvent(kb.Enter))
	v.wait(`!byID("detail").hidden && byID("detail-name").textContent === "example.com/lib/heap.New"`)
	v.do(chromedp.KeyEvent(kb.Escape))
	v.wait(`byID("detail").hidden`)
	expect(v, at, list[0])
	// Of the cards, only one and its links can be reached with Tab.
	expect(v, `[...document.querySelectorAll(".card, .card a")].filter((e) => e.tabIndex === 0).every((e) => e.closest(".card").id === `+quoted(list[0])+`)`, true)
	expect(v, `[...document.querySelectorAll("button, input, a, nav, svg[role=img], article")].filter((e) => e.checkVisibility()).every((e) => e.textContent !== "" || e.labels?.length > 0 || e.ariaLabel)`, true)
}

// On a narrow screen a card has the width of the screen, and the page scrolls.
func TestPageAPINarrow(t *testing.T) {
	v := open(t, reporttest.Allocating(), report.Options{API: true, Source: reporttest.LibrarySource}, window(360, 640))
	v.card("example.com/lib/heap.New")
	const fits = `document.documentElement.scrollWidth <= 360`
	expect(v, fits, true)
	expect(v, `[...document.querySelectorAll(".card *")].filter((e) => e.getBoundingClientRect().right > 360).length`, 0)
	eval[string](v, `location.hash = "heap.Fix"`)
	v.wait(`document.querySelector(".card[aria-current]")?.id === "heap.Fix"`)
	expect(v, `(() => { const r = byID("heap.Fix").getBoundingClientRect(); return r.top >= 0 && r.top < 640; })()`, true)
	eval[string](v, `location.hash = "00000000000000aa"`)
	v.wait(`!byID("detail").hidden`)
	expect(v, fits, true)
}

// In print every card has its values.
func TestPageAPIPrinted(t *testing.T) {
	tier.Corpus(t)
	v := open(t, profiletest.Random(2000, 1), report.Options{API: true})
	if n := eval[int](v, `document.querySelectorAll(".card .further").length`); n > 60 {
		t.Errorf("%d cards are filled before they are in sight", n)
	}
	v.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{})
		return none, err
	})
	expect(v, `[...document.querySelectorAll(".card")].every((c) => c.matches(":has(.further), .unvisited"))`, true)
}

// A card has both profiles.
func TestPageAPICompared(t *testing.T) {
	now, old := reporttest.Allocating(), reporttest.Allocating()
	old.Markers = slices.DeleteFunc(old.Markers, func(m profile.Marker) bool { return strings.HasSuffix(m.Name, "heap.Fix") })
	now.Markers = slices.DeleteFunc(now.Markers, func(m profile.Marker) bool { return strings.HasSuffix(m.Name, "v2.Open") })
	for i := range old.Markers {
		m := &old.Markers[i]
		m.Count *= 2
		for k := range m.Buckets {
			m.Buckets[k].Count *= 2
			m.Buckets[k].SumNS *= 2
		}
		for k := range m.Readings {
			m.Readings[k].Values[0].Sum /= 2
		}
	}
	v := open(t, now, report.Options{API: true, Source: reporttest.LibrarySource, Against: old})
	part := func(anchor, selector string) []string {
		v.card(anchor)
		return eval[[]string](v, `[...byID(`+quoted(anchor)+`).querySelectorAll(`+quoted(selector)+`)].map((e) => e.textContent)`)
	}
	got := slices.Delete(part("example.com/lib/heap.New", ".change"), 2, 4) // percentiles are estimates
	if want := []string{"−50.0%", "±0%", "±0%", "+100.0%", "±0%"}; !slices.Equal(got, want) {
		t.Errorf("the changes are %q, want %q", got, want)
	}
	if n := eval[int](v, `byID("example.com/lib/heap.New").querySelectorAll(".before").length`); n == 0 {
		t.Error("no outlines of the old")
	}
	if got := part("heap.Fix", ".notes li"); !slices.Contains(got, "new: the old profile does not have it") {
		t.Errorf("of a new function it says %q", got)
	}
}

// Text in the data is text in the cards, and anchors cannot be names of elements in the page.
func TestPageAPIHostile(t *testing.T) {
	p := reporttest.HostileProfile()
	for i := range p.Markers {
		m := &p.Markers[i]
		m.Kind, m.Package = "func", reporttest.Hostile
		m.Name = reporttest.Hostile + "." + []string{"Detail", "find", "__proto__"}[i%3]
		m.File = "a.go"
	}
	v := open(t, p, report.Options{API: true, Source: func(string, string, bool) (report.Source, error) {
		return report.Source{Text: "// Package a is <img src=x onerror=alert(1)>.\npackage a\n\n// Detail is </script><script>alert(2)</script>.\nfunc Detail(x struct{ A int `<img src=x onerror=alert(3)>` }) {}\n"}, nil
	}}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.alerts = 0; window.alert = () => alerts++`})
		return none, err
	})
	expect(v, `document.querySelectorAll(".card").length`, 1) // the others are not exported
	if got := v.card("a.Detail")[:3]; !strings.Contains(got[1], "`<img src=x") || !strings.Contains(got[2], "</script><script>") {
		t.Errorf("the card says %q", got)
	}
	expect(v, `document.querySelectorAll("img, iframe, object, embed").length + window.alerts`, 0)
}

// Thousands of functions are shown and searched like a few.
func TestPageAPILarge(t *testing.T) {
	tier.Corpus(t)
	v := open(t, profiletest.Random(20_000, 1), report.Options{})
	v.click(`#views [href="#api"]`)
	v.wait(`byID("shown").textContent === "5,000 functions"`)
	v.do(chromedp.SendKeys(chromedp.CSS("#find"), "item04999"))
	if got := v.shown(); !slices.Equal(got, []string{"part049.Store.Item04999"}) {
		t.Errorf("found %q", got)
	}
	eval[string](v, `(byID("find").value = "", byID("find").dispatchEvent(new Event("input")), location.hash = "part030.Store.Item03000")`)
	v.wait(`document.activeElement.id === "part030.Store.Item03000"`)
	expect(v, `(() => { const a = document.activeElement.getBoundingClientRect(), b = byID("cards").getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom + 1; })()`, true)
}
