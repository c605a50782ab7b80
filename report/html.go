package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io/fs"
	"strings"
	"sync"

	"github.com/markgen/markgen/profile"
)

// The page of the html format is a single file: assets/page.html with styles, scripts and data
// inserted unchanged. The assets are plain files without a build step.
//
// The charts are drawn by Chart.js, the smallest chart library with a release in the year before it
// was chosen (uPlot is a third of its size, but had no release for 18 months; ECharts is five times
// as large). scripts/chartjs.sh downloads it.
//
//go:embed assets
var assets embed.FS

// pageScripts are run in this order: each uses definitions of earlier ones.
var pageScripts = []string{
	"chartjs/chart.umd.min.js",
	"element.js",
	"number.js",
	"data.js",
	"heat.js",
	"tree.js",
	"framecolor.js",
	"flame.js",
	"pathlist.js",
	"column.js",
	"table.js",
	"histogram.js",
	"source.js",
	"detail.js",
	"api.js",
	"spread.js",
	"card.js",
	"cards.js",
	"view.js",
	"theme.js",
	"main.js",
}

// pageParts are the parts common to all pages.
type pageParts struct {
	page    string // with {{words}} as placeholders
	policy  string // Content-Security-Policy
	style   string // <style> element
	scripts string // <script> elements

	licences string // of third-party code
}

var parts = sync.OnceValue(func() *pageParts {
	read := func(name string) string {
		text, err := fs.ReadFile(assets, "assets/"+name)
		if err != nil {
			panic(err) // cannot fail: the file is embedded
		}
		return string(text)
	}
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	p := &pageParts{page: read("page.html")}
	style := read("page.css")
	p.style = "<style>" + style + "</style>"
	var scripts strings.Builder
	var hashes []string
	for _, name := range pageScripts {
		// Browsers would request the source map named at the end of the library.
		text, _, _ := strings.Cut(read(name), "\n//# sourceMappingURL=")
		scripts.WriteString("<script>" + text + "</script>\n")
		hashes = append(hashes, hash(text))
	}
	p.scripts = scripts.String()
	p.licences = read("chartjs/LICENSE.md") + "\n" + read("chartjs/LICENSE-color.md")
	// Nothing is loaded, nothing is sent, and only these scripts run, whatever names in the data
	// contain. Trusted types forbid making markup from text.
	p.policy = "default-src 'none'; script-src " + strings.Join(hashes, " ") + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	return p
})

// headLine is a line in the head of a page: a keyword, and the text for the profile and for the one
// it is compared with.
type headLine struct{ Word, Now, Before string }

// writeHTML writes the page. The head is text; everything else is data shown by the scripts.
func writeHTML(w *bufio.Writer, p *profile.Profile, _ []*profile.Marker, o Options) error {
	data := htmlData(p, o)
	packed, err := data.encode()
	if err != nil {
		return err
	}
	notes := []string{}
	if o.Compared != nil {
		for _, c := range o.Compared.Cautions {
			notes = append(notes, printable(c))
		}
	}
	for _, c := range p.Cautions() {
		notes = append(notes, printable(c))
	}
	if o.Against != nil {
		for _, c := range o.Against.Cautions() {
			notes = append(notes, "old: "+printable(c))
		}
	}
	if len(data.Guesses) > 0 {
		notes = append(notes, "? behind a change: the marker was renamed, moved or edited, and may not be what it is compared with")
	}
	parts, head := parts(), headLines(p, o.Against)
	about := pageAbout{title(p, data.API), o.Against != nil, summarizeComparison(o.Compared, data.Verdicts), aboutRun(head), head, notes, summarize(p, o, data.Prefix), remark(p, data.API)}
	_, err = strings.NewReplacer(
		"{{policy}}", html.EscapeString(parts.policy), "{{title}}", html.EscapeString(about.Title), "{{style}}", parts.style, "{{about}}", about.html(),
		"{{pathless}}", pathless(data), "{{licences}}", html.EscapeString(parts.licences), "{{data}}", packed, "{{scripts}}", parts.scripts,
	).WriteString(w, parts.page)
	return err
}

// pathless returns a line for the foot of a page that could have a flame graph and has none.
func pathless(data *pageData) string {
	if data.API.Only || data.Paths != nil {
		return ""
	}
	return "<p>no flame graph: the data have no call paths, which markgen run -paths and the key paths of MARKGEN record</p>\n"
}

// title returns the title of the page: the program's name, or for a catalogue the names of its
// packages.
func title(p *profile.Profile, api pageAPI) string {
	if api.Only {
		if name := titleOf(api.Packages); name != "" {
			return name
		}
	}
	if p.App == "" {
		return "markgen report"
	}
	return printable(p.App)
}

// headLines returns the heads of both profiles side by side; old may be nil.
func headLines(p, old *profile.Profile) (lines []headLine) {
	for _, l := range heading(p) {
		lines = append(lines, headLine{Word: l[0], Now: l[1]})
	}
	if old == nil {
		return lines
	}
next:
	for _, l := range heading(old) {
		for i := range lines {
			if lines[i].Word == l[0] {
				lines[i].Before = l[1]
				continue next
			}
		}
		lines = append(lines, headLine{Word: l[0], Before: l[1]})
	}
	return lines
}

// remark returns text to show instead of a table that would be empty, or above one without
// measurements.
func remark(p *profile.Profile, api pageAPI) string {
	if api.Only && len(api.Functions.At) == 0 {
		return "no exported function of a package that can be imported has a marker in the data; a page that is no catalogue shows all markers"
	}
	if len(p.Markers) > 0 && countTraced(p) == 0 {
		return ""
	}
	return summary(p, "")
}
