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

// The page of the html format is one file with everything in it: what
// assets/page.html says, with styles, scripts and data put in as they are. They are
// plain files there, run by no build step.
//
// The charts are drawn by Chart.js, the smallest chart library that had a release
// in the last year when it was chosen (uPlot, a third of its size, had none in 18
// months; ECharts is five times as large). scripts/chartjs.sh fetched it.
//
//go:embed assets
var assets embed.FS

// pageScripts are run in this order: each uses what those before it define.
var pageScripts = []string{
	"chartjs/chart.umd.min.js",
	"element.js",
	"number.js",
	"data.js",
	"heat.js",
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

// pageParts are what is the same in all pages.
type pageParts struct {
	page    string // with {{words}} where something is put in
	policy  string // Content-Security-Policy
	style   string // <style> element
	scripts string // <script> elements

	licences string // of what is not ours
}

var parts = sync.OnceValue(func() *pageParts {
	read := func(name string) string {
		text, err := fs.ReadFile(assets, "assets/"+name)
		if err != nil {
			panic(err) // it is compiled in
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
		// The reference to a file with the library's source would be looked up.
		text, _, _ := strings.Cut(read(name), "\n//# sourceMappingURL=")
		scripts.WriteString("<script>" + text + "</script>\n")
		hashes = append(hashes, hash(text))
	}
	p.scripts = scripts.String()
	p.licences = read("chartjs/LICENSE.md") + "\n" + read("chartjs/LICENSE-color.md")
	// Nothing is loaded, nothing is sent, and no script runs but those here: whatever a
	// name in the data may hold. Trusted types refuse to make markup of any text.
	p.policy = "default-src 'none'; script-src " + strings.Join(hashes, " ") + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	return p
})

// headLine is a line of the head of a page: what is said of the profile, and of the
// one it is compared with.
type headLine struct{ Word, Now, Before string }

// writeHTML writes the page. The head is in it as text, everything else as data that
// the scripts show.
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
		"{{licences}}", html.EscapeString(parts.licences), "{{data}}", packed, "{{scripts}}", parts.scripts,
	).WriteString(w, parts.page)
	return err
}

// title names the page: by the program, a catalogue by its packages.
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

// headLines puts the heads of both profiles side by side; old may be nil.
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

// remark is what stands in place of a table where there is nothing to put into it,
// or above one without figures.
func remark(p *profile.Profile, api pageAPI) string {
	if api.Only && len(api.Functions.At) == 0 {
		return "no exported function of a package that can be imported has a marker in the data; a page that is no catalogue shows all markers"
	}
	if len(p.Markers) > 0 && countTraced(p) == 0 {
		return ""
	}
	return summary(p, "")
}
