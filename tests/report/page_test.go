package report_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tests/browsertest"
)

// Light and dark follow the system until the switch is used; text is readable in both.
func TestPageTheme(t *testing.T) {
	v := open(t, reporttest.Parse(t, reporttest.Demo()), report.Options{}, browsertest.ColorScheme("light"))
	v.openMarker("example.com/shop/cart.(*Cart).Total:for#1")
	const ground = `getComputedStyle(document.body).backgroundColor`
	// The contrast of text and background, WCAG 2.2, 1.4.3.
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
		for (const share of [0, 0.05, 0.3, 1]) { // bars may have 3 where texts have 4.5: 1.4.11
			for (const on of ["--ground", "--track"]) {
				probe.style.color = heat(share);
				const [a, b] = [light(getComputedStyle(probe).color), of(on)];
				worst = Math.min(worst, 1.5 * (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
			}
		}
		const dark = light(getComputedStyle(document.body).backgroundColor) < 0.5;
		for (const color of [...frameHues.flatMap((h) => [packageColor(h, 0, dark), packageColor(h, frameShades - 1, dark)]), ...[true, false].flatMap((g) => [changeColor(g, 0, dark), changeColor(g, 1, dark)])]) {
			probe.style.color = color;
			const [a, b] = [light(getComputedStyle(probe).color), of("--ink")];
			worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
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

// Text in the data is text in the page, and nothing in it is executed.
func TestPageHostile(t *testing.T) {
	p := reporttest.HostileProfile()
	old := reporttest.HostileProfile()
	old.Markers = old.Markers[1:]
	v := open(t, p, report.Options{Against: old, Source: func(string, string, bool) (report.Source, error) {
		return report.Source{Text: strings.Repeat(reporttest.Hostile+"\n", 400)}, nil
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
	expect(v, `document.querySelectorAll("script").length`, 22)
	expect(v, `window.alerts`, 0)
}

// If the page cannot be shown, it says so, and what to do.
func TestPageUnable(t *testing.T) {
	v := openAnyway(t, reporttest.Parse(t, reporttest.Demo()), report.Options{}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `delete window.DecompressionStream`})
		return none, err
	})
	v.wait(`!byID("problem").hidden`)
	expect(v, `byID("problem").textContent.includes("browsers from 2023 on can, and markgen report without -format prints the same as text")`, true)

	v = openAnyway(t, reporttest.Parse(t, reporttest.Demo()), report.Options{}, func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return none, err
	})
	expect(v, `document.querySelector("noscript .problem").checkVisibility() && document.querySelector("dl.summary").checkVisibility()`, true)
}

// Without markers, and without times, the page says so.
func TestPageEmpty(t *testing.T) {
	v := open(t, &profile.Profile{}, report.Options{})
	expect(v, `document.querySelector("header .note").textContent`, "no markers: the program registered none before it ended")
	p := reporttest.Few(51)
	p.Markers = p.Markers[1:2] // it only counts
	p.Markers[0].Buckets, p.Markers[0].CountOnly = nil, true
	v = open(t, p, report.Options{})
	expect(v, `[...document.querySelectorAll("#markers thead button")].map((b) => b.textContent)`, []string{"name", "count", "place", "kind"})
}
