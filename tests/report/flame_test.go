package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tier"
)

// at moves the mouse to a place of the flame graph: a part of its width from the left, and a depth
// from the top.
func (v *view) at(x float64, depth int, event input.DispatchMouseEventType, opts ...chromedp.MouseOption) {
	v.Helper()
	box := eval[[]float64](v, `(({ left, top, width }) => [left, top, width])(document.querySelector(".frames").getBoundingClientRect())`)
	v.do(chromedp.MouseEvent(event, box[0]+x*box[2], box[1]+float64(19*depth+9), opts...))
}

func (v *view) press(x float64, depth, times int) {
	v.Helper()
	for n := 1; n <= times; n++ {
		for _, event := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			v.at(x, depth, event, chromedp.ButtonLeft, chromedp.ClickCount(n))
		}
	}
}

// find types what is searched for.
func (v *view) find(text string) {
	v.Helper()
	v.do(chromedp.KeyEvent("/"))
	expect(v, `(byID("find").value = "", document.activeElement.id)`, "find") // the browser is sent the / itself, too
	v.do(chromedp.KeyEvent(text))
}

// frame is what the page says of a frame.
const frame = `byID("frame").textContent`

// Where recursion makes totals overlap, frames have the widths of self times, and are no wider together
// than what they are in.
func TestPageFlameRecursion(t *testing.T) {
	v := open(t, reporttest.Mutual(), report.Options{})
	for _, tt := range []struct {
		x     float64
		depth int
		want  string
	}{
		{0.5, 0, "all goroutines total 100ns, 100%"},
		{0.5, 2, "eval total 90ns, 90%; count 9; self 10ns"},
		{0.2, 3, "term total 90ns, 45%; count 9; self 20ns"},
		{0.6, 3, "eval:for#1 total 80ns, 35%; count 9; self 20ns"},
		{0.5, 4, "term total 0ns, 15%; count 9; self 15ns"},
	} {
		v.at(tt.x, tt.depth, input.DispatchMouseEventTypeMouseMoved)
		if got := eval[string](v, frame); !strings.HasSuffix(got, tt.want) {
			t.Errorf("at %v, %d the page says %q, want %q", tt.x, tt.depth, got, tt.want)
		}
	}
}

// Frames can be pointed at, opened and zoomed to with the mouse.
func TestPageFlame(t *testing.T) {
	v := open(t, reporttest.WithPaths(t), report.Options{Source: reporttest.Sources})
	expect(v, `document.querySelector("#views [aria-current]").textContent`, "flame graph")
	expect(v, `byID("shown").textContent`, "8 frames")
	expect(v, `[byID("view"), byID("flame")].every((e) => e.checkVisibility())`, true)
	for _, tt := range []struct {
		x     float64
		depth int
		want  string
	}{
		{0.5, 0, "all goroutines total 2.00s, 100%"},
		{0.5, 1, "shop.main total 1.70s, with what it started 2.00s, 100%; count 1; self 400ms"},
		{0.2, 2, "(*Cart).Total [GET /cart] total 1.10s, 55%; count 2; self 300ms"},
		{0.6, 2, "go read <rates> & taxes total 300ms, 15%; count 3; self 250ms"},
		{0.56, 3, "other total 50.0ms, 2.5%; count 5; self 50.0ms"},
		{0.75, 2, "(*Cart).Total [GET /item] total 200ms, 10%; count 1; self 100ms"},
		{0.05, 4, "round total 200ms, 10%; count 1,234; self 200ms"},
	} {
		v.at(tt.x, tt.depth, input.DispatchMouseEventTypeMouseMoved)
		if got := eval[string](v, frame); !strings.HasSuffix(got, tt.want) {
			t.Errorf("at %v, %d the page says %q, want %q", tt.x, tt.depth, got, tt.want)
		}
	}
	whole := eval[string](v, `document.querySelector(".frames canvas").toDataURL()`)
	v.press(0.2, 3, 1)
	v.wait(`!byID("detail").hidden`)
	expect(v, `byID("detail-name").textContent`, "example.com/shop/cart.(*Cart).Total:for#1")
	expect(v, `[...document.querySelectorAll(".paths tbody tr")].map((r) => r.innerText.trim().replaceAll("\t", " "))`, []string{
		"1,500 800ms 600ms 533µs example.com/shop/cmd/shop.main › (*Cart).Total [GET /cart]",
		"500 100ms 100ms 200µs example.com/shop/cmd/shop.main › (*Cart).Total [GET /item]",
	})
	expect(v, `[...document.querySelectorAll(".paths tbody tr")].findIndex((r) => r.ariaCurrent === "true")`, 0)
	expect(v, `document.querySelectorAll("#detail canvas, #detail .listing").length`, 2)
	expect(v, `document.querySelector("#markers tr[aria-current=true] a").title`, "example.com/shop/cart.(*Cart).Total:for#1")
	// A path leads to its frame.
	v.click(".paths tbody tr:nth-child(2) button")
	v.wait(frame + `.includes("for#1 total 100ms, 5.0%")`)
	expect(v, `[...document.querySelectorAll(".paths tbody tr")].findIndex((r) => r.ariaCurrent === "true")`, 1)
	// A double-click zooms.
	v.press(0.2, 2, 2)
	v.at(0.9, 2, input.DispatchMouseEventTypeMouseMoved)
	if got := eval[string](v, frame); !strings.Contains(got, "GET /cart") {
		t.Errorf("after zooming the frame is %q", got)
	}
	v.at(0.7, 3, input.DispatchMouseEventTypeMouseMoved) // the loop has 8 elevenths
	if got := eval[string](v, frame); !strings.Contains(got, "for#1 total 800ms") {
		t.Errorf("after zooming the frame is %q", got)
	}
	v.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape)) // out, and the panel is closed
	v.wait(`byID("detail").hidden`)
	v.do(chromedp.KeyEvent(kb.Home))
	v.wait(`document.querySelector(".frames canvas").toDataURL() === ` + quoted(whole))
}

// An opened frame has the distribution of its path, where that was recorded.
func TestPageFlameTimes(t *testing.T) {
	p := reporttest.WithPaths(t)
	for i := range p.Paths.Nodes {
		if n := &p.Paths.Nodes[i]; n.Count == 1500 {
			n.Buckets = []profile.Bucket{{K: 18, Count: 400, SumNS: 400 << 18}, {K: 19, Count: 1100, SumNS: 1100 << 19}}
		}
	}
	v := open(t, p, report.Options{})
	v.press(0.2, 3, 1)
	v.wait(`!byID("detail").hidden`)
	expect(v, `document.querySelector("#detail canvas").ariaLabel`, "distribution of times: most scopes, 1,100 of 1,500, took 524µs – 1.05ms")
	expect(v, `document.querySelector(".paths h3").textContent`, "on 2 paths; the distribution is that of the marked one")
	v.click(".paths tbody tr:nth-child(2) button") // whose times were not recorded
	v.wait(`document.querySelector(".paths h3").textContent === "on 2 paths; the distribution is that of all together"`)
	expect(v, `document.querySelector("#detail canvas").ariaLabel.includes(" of 2,000, took ")`, true)
}

// Everything can be done with the keyboard.
func TestPageFlameKeys(t *testing.T) {
	v := open(t, reporttest.WithPaths(t), report.Options{})
	says := func(keys, want string) {
		t.Helper()
		v.do(chromedp.KeyEvent(keys))
		if got := eval[string](v, frame); !strings.Contains(got, want) {
			t.Errorf("after %q the frame is %q, want %q", keys, got, want)
		}
	}
	v.find("item")
	expect(v, `byID("shown").textContent`, "1 of 8 frames, 10%") // by its label
	says(kb.Enter, "[GET /item] total 200ms")
	expect(v, `document.activeElement === document.querySelector(".frames")`, true)
	says(kb.ArrowLeft, "go read")
	says(kb.ArrowLeft, "[GET /cart]")
	says(kb.ArrowLeft, "[GET /cart]")
	says(kb.ArrowDown, "for#1")
	says(kb.ArrowDown, "round")
	says(kb.ArrowDown, "round")
	says(kb.ArrowUp, "for#1")
	says(kb.Enter, "for#1")
	says(kb.ArrowRight, "for#1") // others are not in sight
	says(kb.ArrowUp, "[GET /cart]")
	says(kb.ArrowUp, "main")
	says(kb.ArrowDown, "[GET /cart]")
	says(kb.Escape, "all goroutines total 2.00s")
	says(kb.ArrowDown, "main")
	says(" ", "main")
	v.wait(`!byID("detail").hidden`)
	expect(v, `byID("detail-name").textContent`, "example.com/shop/cmd/shop.main")
	says(kb.Escape, "main")
	v.wait(`byID("detail").hidden`)
	expect(v, `document.activeElement === document.querySelector(".frames")`, true)
	expect(v, `[...document.querySelectorAll("#flame select, #flame input")].every((e) => e.labels.length > 0)`, true)
}

// Widths are of any figure, and labels are each apart, added up, or one alone.
func TestPageFlameChoices(t *testing.T) {
	v := open(t, reporttest.WithPaths(t), report.Options{})
	expect(v, `[...byID("width").options].map((o) => o.value)`, []string{"total", "self", "count", "alloc bytes", "alloc objects"})
	for _, width := range [][2]string{{"self", "2.00s"}, {"count", "3,246"}, {"alloc objects", "1,234"}, {"alloc bytes", "2.35MiB"}, {"total", "2.00s"}} {
		v.choose("width", width[0])
		expect(v, frame, fmt.Sprintf("all goroutines %s %s, 100%%", width[0], width[1]))
	}
	v.choose("label", "all")
	expect(v, `byID("shown").textContent`, "6 frames")
	v.at(0.2, 2, input.DispatchMouseEventTypeMouseMoved)
	expect(v, frame, "(*Cart).Total total 1.30s, 65%; count 3; self 400ms")
	expect(v, `[...byID("label").options].map((o) => o.textContent)`, []string{"each apart", "added up", "only GET /cart", "only GET /item"})
	v.choose("label", "1")
	expect(v, frame, "all goroutines total 1.10s, 100%")
	v.choose("label", "each")
	expect(v, `document.querySelector("#flame .legend").textContent`, "example.com/shop/cart 78%no package 20%")
}

// Colours show which parts have grown.
func TestPageFlameCompared(t *testing.T) {
	p, old := reporttest.WithPaths(t), reporttest.WithPaths(t)
	for i := range old.Paths.Nodes {
		if n := &old.Paths.Nodes[i]; n.Label == "GET /cart" {
			n.SelfNS += 400_000_000
			n.SumNS += 400_000_000
			old.Paths.Nodes[0].SumNS += 400_000_000
		}
	}
	v := open(t, p, report.Options{Against: old})
	expect(v, `((canvas) => {
		const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		return [[0.5, 0], [0.3, 2], [0.6, 2], [0.75, 2]].map(([x, depth]) => {
			const [r, g] = image.data.subarray(4 * (canvas.width * (19 * depth + 4) + Math.round(x * canvas.width)));
			return r > g + 8 ? "red" : g > r + 8 ? "green" : "plain";
		});
	})(document.querySelector(".frames canvas"))`, []string{"plain", "green", "red", "red"})
	v.at(0.2, 2, input.DispatchMouseEventTypeMouseMoved)
	expect(v, frame, "(*Cart).Total [GET /cart] total 1.10s, 55%; count 2; self 300ms; of the whole −7.50 points")
	v.click("#old-widths")
	v.at(0.2, 2, input.DispatchMouseEventTypeMouseMoved)
	expect(v, frame, "(*Cart).Total [GET /cart] total 1.50s, 63%; count 2; self 700ms; of the whole −7.50 points")
	v.choose("color", "package")
	expect(v, `document.querySelectorAll("#flame .swatch").length`, 2)
}

// Without paths the page says how to get a flame graph; a catalogue does not.
func TestPageFlameless(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{})
	expect(v, `document.querySelector('#views [href="#flame"]').checkVisibility()`, false)
	expect(v, `document.querySelector("footer p").textContent`, "no flame graph: the data have no call paths, which markgen run -paths and the key paths of MARKGEN record")
	for _, page := range []string{reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Format: "html", API: true}), reporttest.Write(t, reporttest.WithPaths(t), report.Options{Format: "html"})} {
		if strings.Contains(page, "no flame graph") {
			t.Error("the page speaks of a flame graph that it can't have, or has")
		}
	}
}

// Of many nodes only the frames that are in sight are drawn.
func TestPageFlameLarge(t *testing.T) {
	tier.Corpus(t)
	p := profiletest.Random(5000, 1)
	p.Paths = profiletest.CallTree(p, 50_000, 1)
	v := open(t, p, report.Options{})
	expect(v, `byID("shown").textContent.endsWith(" frames") && parseInt(byID("shown").textContent.replace(",", "")) > 45000`, true)
	v.find("Item00042")
	v.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	if got := eval[string](v, frame); !strings.Contains(got, "Item00042") {
		t.Errorf("search leads to %q", got)
	}
}
