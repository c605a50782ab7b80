package pages_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/service/pages/pagestest"
	"github.com/markgen/markgen/tests/browsertest"
	"github.com/markgen/markgen/tier"
)

// spoken returns the nodes of the accessibility tree that a screen reader speaks, with role and
// name.
func spoken(t *testing.T, tab *browsertest.Tab) (nodes []*accessibility.Node) {
	t.Helper()
	err := tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		tree, err := cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err == nil {
			nodes = tree.Nodes
		}
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(nodes, func(n *accessibility.Node) bool { return n.Ignored })
}

func said(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	text, err := strconv.Unquote(string(v.Value))
	if err != nil {
		return string(v.Value)
	}
	return text
}

// Each control, drawing and table has an accessible name, and pages have headings and landmarks.
func TestSpoken(t *testing.T) {
	tier.Corpus(t)
	base := serve(t, pagestest.NewShop(t).Pages())
	for _, address := range append(pagestest.Addresses, "/nothing") {
		tab, err := chromium(t).Open(base+address, sized(1440))
		if err != nil {
			t.Fatal(err)
		}
		roles := map[string][]string{}
		for _, n := range spoken(t, tab) {
			role, name := said(n.Role), said(n.Name)
			roles[role] = append(roles[role], name)
			switch role {
			case "link", "button", "searchbox", "textbox", "combobox", "Date", "image", "img", "table", "figure", "region", "search", "navigation", "heading":
				if strings.TrimSpace(name) == "" && role != "figure" && role != "search" {
					t.Errorf("%s: a %s without a name", address, role)
				}
			}
		}
		for _, landmark := range []string{"banner", "navigation", "main", "contentinfo", "search"} {
			if len(roles[landmark]) != 1 {
				t.Errorf("%s: %d of the landmark %s", address, len(roles[landmark]), landmark)
			}
		}
		headings := eval[[]int](t, tab, `[...document.querySelectorAll("h1,h2,h3,h4")].map((h) => +h.tagName[1])`)
		if len(headings) == 0 || headings[0] != 1 || slices.Contains(headings[1:], 1) {
			t.Errorf("%s: the headings are of levels %v", address, headings)
		}
		for i := range headings {
			if i > 0 && headings[i] > headings[i-1]+1 {
				t.Errorf("%s: the headings are of levels %v", address, headings)
			}
		}
		if bad := eval[[]string](t, tab, `[
			...[...document.querySelectorAll("table")].filter((t) => !t.caption || !t.caption.textContent.trim() || [...t.querySelectorAll("th")].some((h) => !h.scope)).map((t) => "table " + t.textContent.slice(0, 40)),
			...[...document.querySelectorAll("svg:not([aria-hidden])")].filter((s) => !s.querySelector("title") || !s.querySelector("desc")).map((s) => "svg " + s.outerHTML.slice(0, 80)),
			...[...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + CSS.escape(e.id)).length > 1).map((e) => "id " + e.id),
			...[...document.querySelectorAll("[aria-labelledby],[aria-describedby],[aria-controls]")].filter((e) => ["aria-labelledby", "aria-describedby", "aria-controls"].some((a) => (e.getAttribute(a) ?? "").split(/\s+/).some((id) => id && !document.getElementById(id)))).map((e) => "refers to nothing: " + e.outerHTML.slice(0, 80)),
			...[...document.querySelectorAll("[style],style,script:not([src])")].map((e) => "inline " + e.outerHTML.slice(0, 80)),
			...(document.documentElement.lang === "en" ? [] : ["no language"]),
		]`); len(bad) > 0 {
			t.Errorf("%s: %s", address, strings.Join(bad, "\n"))
		}
		tab.Close()
	}
}

// contrast is a script that finds text with too little contrast (WCAG 2.2, 1.4.3, for text of any
// size).
const contrast = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (color, under) => {
		canvas.fillStyle = under ? "rgb(" + under.join(",") + ")" : "#fff";
		canvas.fillRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const luminance = (c) => c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = (e) => {
		const chain = [];
		for (let at = e; at; at = at.parentElement) {
			chain.unshift(getComputedStyle(at).backgroundColor);
		}
		return chain.reduce((under, color) => rgb(color, under), rgb("Canvas"));
	};
	const bad = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		const style = getComputedStyle(e);
		if (!walk.currentNode.textContent.trim() || e.closest("datalist,script,svg title,svg desc") || style.visibility === "hidden") {
			continue;
		}
		const under = ground(e);
		const ink = rgb(e.namespaceURI.endsWith("svg") ? style.fill : style.color, under);
		const [a, b] = [luminance(ink), luminance(under)].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < 4.5) {
			bad.push(ratio.toFixed(2) + " " + e.tagName + " " + e.className + " " + walk.currentNode.textContent.trim().slice(0, 40));
		}
	}
	for (const e of document.querySelectorAll("input,button")) {
		const style = getComputedStyle(e);
		const [a, b] = [luminance(rgb(style.borderColor, ground(e.parentElement))), luminance(ground(e.parentElement))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 3) {
			bad.push("the edge of " + e.outerHTML.slice(0, 60));
		}
	}
	return [...new Set(bad)];
})()`

func TestContrast(t *testing.T) {
	s := pagestest.NewShop(t)
	p := s.Pages()
	base := serve(t, p)
	for _, address := range append(pagestest.Addresses, "/nothing", "/api/0000000000001003?goos=linux") {
		tab, err := chromium(t).Open(base+address, sized(1440))
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{"light", "dark"} {
			if err := tab.Do(browsertest.ColorScheme(scheme)); err != nil {
				t.Fatal(err)
			}
			for _, bad := range eval[[]string](t, tab, contrast) {
				t.Errorf("%s, %s: %s", address, scheme, bad)
			}
		}
		tab.Close()
	}
}

// The keyboard alone reaches everything, in reading order, with a visible focus.
func TestKeyboard(t *testing.T) {
	base := serve(t, pagestest.NewShop(t).Pages())
	for _, address := range []string{"/", "/search?q=write", "/api/0000000000001000", "/compare"} {
		tab, err := chromium(t).Open(base+address, sized(1440))
		if err != nil {
			t.Fatal(err)
		}
		all := eval[int](t, tab, `[...document.querySelectorAll("a[href],button,input,summary")].map((e, i) => e.dataset.number = i).length`)
		last := -1
		for range all + 20 { // a date field has several parts
			press(t, tab, kb.Tab)
			at := eval[string](t, tab, `document.activeElement.dataset.number ?? ""`)
			if at == "" {
				break // past the last one
			}
			n, _ := strconv.Atoi(at)
			if n != last && n != last+1 {
				t.Errorf("%s: number %d of the controls comes after number %d", address, n, last)
			}
			last = n
			if seen := eval[string](t, tab, `(() => {
				const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
				return s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2 ? "no outline" : r.right < 1 || r.bottom < 1 || r.width < 1 ? "out of sight" : "";
			})()`); seen != "" {
				t.Errorf("%s: %s has %s", address, focused(t, tab), seen)
			}
		}
		if last != all-1 {
			t.Errorf("%s: the last control reached is number %d of %d", address, last, all)
		}
		tab.Close()
	}

	// The first is the link that skips the header.
	tab, err := chromium(t).Open(base + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	press(t, tab, kb.Tab)
	press(t, tab, kb.Enter)
	until(t, "the content has the focus", func() bool { return focused(t, tab) == "main" })
	press(t, tab, "/")
	if at := focused(t, tab); at != "q" {
		t.Errorf("the key / leads to %s", at)
	}
}
