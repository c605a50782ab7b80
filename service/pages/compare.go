package pages

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/change"
	"github.com/markgen/markgen/units"
)

// A compareContent is the content of the comparison of two builds.
type compareContent struct {
	Fields   []field
	Asked    bool // both builds are given
	Old, New string
	Summary  string
	Test     string // what was tested, at what significance
	Cautions []string
	Changed  table
	Same     table
	Gone     table
	Came     table
}

// maxCompareRows is the max number of rows of each table.
const maxCompareRows = 200

// compare returns the page that compares two builds.
func (p *Pages) compare(r *http.Request) (*page, error) {
	values, err := parameters(r, append([]string{"old", "new", "package"}, filterNames...)...)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(values)
	if err != nil {
		return nil, err
	}
	if f.Build != "" {
		return nil, badRequest("Builds to compare are given as old and new, and not as build.")
	}
	f.Package = values.Get("package")
	origins, err := p.Store.Origins(r.Context(), fleet.Filter{})
	if err != nil {
		return nil, err
	}
	c := &compareContent{Old: values.Get("old"), New: values.Get("new")}
	c.Asked = c.Old != "" && c.New != ""
	c.fields(f, origins)
	if c.Asked {
		if err := p.compared(r, c, f); err != nil {
			return nil, err
		}
	}
	return &page{Title: "Compare two builds", Template: "compare.html", Nav: "/compare", Content: c}, nil
}

// Merges reports whether a request is for a page that sums the statistics of any number of APIs.
func Merges(r *http.Request) bool {
	return r.URL.Path == "/compare" && r.URL.Query().Get("old") != ""
}

// fields sets the fields of the form.
func (c *compareContent) fields(f fleet.Filter, origins []fleet.OriginSum) {
	var names, processors, versions []string
	list := builds(origins)
	for i := len(list) - 1; i >= 0 && len(names) < 200; i-- {
		if list[i].name != "" {
			names = append(names, list[i].name)
		}
	}
	seen := map[string]bool{}
	for i := len(origins) - 1; i >= 0; i-- {
		if cpu := origins[i].CPU; cpu != "" && !seen["cpu "+cpu] && len(processors) < 100 {
			seen["cpu "+cpu] = true
			processors = append(processors, cpu)
		}
		if version := origins[i].Go; version != "" && !seen["go "+version] && len(versions) < 100 {
			seen["go "+version] = true
			versions = append(versions, version)
		}
	}
	day := func(d fleet.Day) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	c.Fields = []field{
		{"old", "Old build", c.Old, "text", names},
		{"new", "New build", c.New, "text", names},
		{"package", "Package", f.Package, "text", nil},
		{"cpu", "Processor", f.CPU, "text", processors},
		{"go", "Go version", f.Go, "text", versions},
		{"goos", "Operating system", f.GOOS, "text", nil},
		{"goarch", "Architecture", f.GOARCH, "text", nil},
		{"from", "From day", day(f.From), "date", nil},
		{"to", "To day", day(f.To), "date", nil},
	}
}

// compared adds the result of the comparison.
func (p *Pages) compared(r *http.Request, c *compareContent, f fleet.Filter) error {
	var sums [2]*profile.Profile
	var origins [2][]fleet.OriginSum
	g, ctx := errgroup.WithContext(r.Context())
	for i, build := range []string{c.Old, c.New} {
		g.Go(func() error {
			f := f
			f.Build = build
			sum, more, err := p.Store.Profile(ctx, f, p.MaxMerged)
			if err != nil {
				return err
			}
			if more {
				return &fleet.Problem{Status: http.StatusUnprocessableEntity, Title: "That is too much to compare on a page",
					Detail: fmt.Sprintf("%s has more than %s APIs. Choose a package, in which * matches any text: example.com/shop/*.", shown(build), units.Count(uint64(p.MaxMerged)))}
			}
			if len(sum.Markers) == 0 {
				return &fleet.Problem{Status: http.StatusNotFound, Title: "There are no figures of a build",
					Detail: fmt.Sprintf("There are no figures of the build %s that match the form. Go back and choose another; * matches any text.", shown(build))}
			}
			sums[i] = sum
			origins[i], err = p.Store.Origins(ctx, f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	result, err := change.Compare(sums[0], sums[1], change.Options{})
	if err != nil {
		return err
	}
	for _, text := range result.Cautions(change.Machines(origins[0], origins[1])) {
		c.Cautions = append(c.Cautions, toSentence(text))
	}
	c.setSummary(result)
	packages := map[string]string{}
	for _, sum := range sums {
		for i := range sum.Markers {
			packages[sum.Markers[i].Name] = sum.Markers[i].Package
		}
	}
	c.tables(result, packages)
	return nil
}

// toSentence turns a caution into a sentence.
func toSentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// setSummary sets the summary, and the text about significance.
func (c *compareContent) setSummary(r *change.Result) {
	both := len(r.APIs) + r.CountOnly
	switch {
	case r.Slower+r.Faster == 0 && r.Tests > 0:
		c.Summary = fmt.Sprintf("No change of %s or more is sure in any of %s that both builds have.", percent(r.Threshold), units.Plural(uint64(both), "API"))
	case r.Tests == 0:
		c.Summary = "There are too few runs to tell a change from chance."
	default:
		c.Summary = fmt.Sprintf("Of %s that both builds have, %s slower and %s faster by %s or more.",
			units.Plural(uint64(both), "API"), are(r.Slower), are(r.Faster), percent(r.Threshold))
	}
	if r.Tests > 0 {
		c.Test = fmt.Sprintf("%s tested by their means. Among so many, some differ by chance alone: the p-values are corrected for that, so that of the changes listed here about %s at most are expected to be none (Benjamini and Yekutieli).",
			strings.ToUpper(wereOf(r.Tests)[:1])+wereOf(r.Tests)[1:], percent(r.Alpha))
	}
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return units.Count(uint64(n)) + " are"
}

func wereOf(n int) string {
	if n == 1 {
		return "1 API was"
	}
	return units.Count(uint64(n)) + " APIs were"
}

// tables lists the APIs: those that changed, those without significant change, and those that only
// one build has.
func (c *compareContent) tables(r *change.Result, packages map[string]string) {
	head := []string{"API", "Verdict", "Change", "From – to", "p", "Old mean", "New mean", "Old p99", "New p99"}
	c.Changed = table{Caption: "APIs that changed: slower ones first, the surest first among them", Head: head, Wide: true}
	c.Same = table{Caption: "APIs that changed by less, or of which no change is sure", Head: head, Wide: true}
	for i := range r.APIs {
		a := &r.APIs[i]
		t := &c.Same
		if a.Verdict == change.Slower || a.Verdict == change.Faster {
			t = &c.Changed
		}
		if len(t.Rows) < maxCompareRows {
			t.Rows = append(t.Rows, row{nameOfMarker(a.ID, a.Name, packages[a.Name], a.Kind), changeCells(a)})
		}
	}
	if n := r.Slower + r.Faster; n > maxCompareRows {
		c.Changed.Note = fmt.Sprintf("These are the first %d of %s. Choose a package to see the others.", maxCompareRows, units.Count(uint64(n)))
	}
	if n := len(r.APIs) - r.Slower - r.Faster; n > maxCompareRows {
		c.Same.Note = fmt.Sprintf("These are the first %d of %s. Choose a package to see the others.", maxCompareRows, units.Count(uint64(n)))
	}
	c.Gone = places("APIs that the old build alone has", r.OnlyOld, packages)
	c.Came = places("APIs that the new build alone has", r.OnlyNew, packages)
}

// changeCells returns the cells of an API.
func changeCells(a *change.API) []cell {
	class, sign := "", ""
	switch a.Verdict {
	case change.Slower:
		class, sign = "more", "▲ "
	case change.Faster:
		class, sign = "less", "▼ "
	}
	interval, p := none, none
	if a.Verdict != change.TooFew {
		interval = signed(a.Lo) + " – " + signed(a.Hi)
		p = probability(a.Adjusted)
	}
	mean := func(s change.Side) cell {
		t := text(units.Duration(s.MeanNS))
		if a.Verdict != change.TooFew {
			t.Full = "± " + units.Duration(s.SE) + ", a standard error"
			t.Text += " ± " + percent(s.SE/max(s.MeanNS, 1e-9))
		}
		return t
	}
	return []cell{
		{Text: sign + string(a.Verdict), Class: class},
		{Text: signed(a.Change), Class: class},
		{Text: interval, Full: "with a confidence of 95 %"},
		{Text: p, Full: "corrected for the number of tests"},
		mean(a.Old), mean(a.New),
		text(units.Duration(a.Old.P99NS)), text(units.Duration(a.New.P99NS)),
	}
}

// probability formats a p-value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return none
	case p < 1e-4:
		return "<0.0001"
	}
	return fmt.Sprintf("%.2g", p)
}

func places(caption string, list []change.Place, packages map[string]string) table {
	t := table{Caption: caption, Head: []string{"API", "Scopes"}}
	for _, a := range list[:min(len(list), maxCompareRows)] {
		t.Rows = append(t.Rows, row{nameOfMarker(a.ID, a.Name, packages[a.Name], cmp.Or(a.Kind, "func")), []cell{text(units.Count(a.Count))}})
	}
	if len(list) > maxCompareRows {
		t.Note = fmt.Sprintf("These are the first %d of %s.", maxCompareRows, units.Count(uint64(len(list))))
	}
	return t
}
