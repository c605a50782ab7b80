package pages

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/units"
)

// An apiContent is the content of an API's page.
type apiContent struct {
	API        *fleet.API
	In, Own    string // shortened name: package with its dot, and function
	Long       string // full name if In and Own shorten it, or ""
	Place      string
	What       string // what one execution is called: a call, …
	Sentence   string
	From       string // origin of the statistics, in words
	Chosen     string // the filter in words; "" if none
	All        string // URL without filter
	Facts      []fact
	Cautions   []string
	Histograms []*histogram
	Labels     []string
	Evidence   []evidence
	Trend      *trend
	Tables     []table // groups by build and Go version
	Hardware   []table
	Sizes      *table
	Inner      *table
	Outer      *fleet.API // enclosing function
	Fields     []field
	Files      []file
	Compare    string // URL of the comparison of the last two builds; "" if there is only one
}

type fact struct{ Word, Value, Full string }

type evidence struct{ Property, Verdict, Text, Need string }

type file struct{ Href, Name, About string }

// maxGroupRows is the max number of rows of a table.
const maxGroupRows = 60

// api returns the page of an API.
func (p *Pages) api(r *http.Request) (*page, error) {
	id, values, f, err := parseAPIRequest(r)
	if err != nil {
		return nil, err
	}
	a, groups, err := p.figures(r.Context(), id, f)
	if err != nil {
		return nil, err
	}
	c := &apiContent{API: a, What: strings.TrimPrefix(scopes(a.Kind, 1), "1 "), Chosen: describeFilter(f), All: Path(id)}
	in, own := function(a.Name, a.Package)
	c.In, c.Own = shown(in), shown(own)
	if c.In+c.Own != report.Printable(a.Name) {
		c.Long = report.Printable(a.Name)
	}
	if a.File != "" {
		c.Place = shown(profile.Place(a.File, a.Line))
	}
	m, runs := new(profile.Marker), uint64(0)
	if all := groups[fleet.NoGrouping]; len(all) > 0 {
		m, runs = &all[0].Marker, all[0].Runs
	}
	c.Sentence = sentence(a.Kind, m)
	c.From = fmt.Sprintf("Measured in %s of %s", units.Plural(runs, "run"), units.Plural(uint64(len(groups[fleet.ByBuild])), "build"))
	if n := len(groups[fleet.ByCPU]); n > 1 {
		c.From += fmt.Sprintf(" on processors of %d models", n)
	}
	c.From += "."
	c.facts(m)
	small := profileOf(a, m, runs)
	for _, text := range small.Cautions() {
		c.Cautions = append(c.Cautions, shown(text))
	}
	c.draw(a.Kind, m)
	c.shape(small)
	c.Trend = trendOf(groups[fleet.ByBuild])
	c.groups(a.Kind, values, groups)
	c.sizes(m)
	c.Fields = fields(values, groups)
	c.inside(p.Catalogue, a)
	base := Path(id) + "/"
	c.Files = []file{
		{address(base+"figures.json", values), "JSON", "as markgen report -format json writes it"},
		{address(base+"figures.pb.gz", values), "pprof", "for go tool pprof"},
		{address(base+"figures.markgen", values), "profile file", "for markgen report, merge and diff"},
	}
	if b := groups[fleet.ByBuild]; len(b) > 1 {
		c.Compare = address("/compare", url.Values{"old": {b[len(b)-2].Key}, "new": {b[len(b)-1].Key}, "package": {a.Package}})
	}
	return &page{Title: cut(c.Own, 80), Template: "api.html", Content: c}, nil
}

// parseAPIRequest returns the API and the filter of a URL.
func parseAPIRequest(r *http.Request) (id registry.ID, values url.Values, f fleet.Filter, err error) {
	text := r.PathValue("id")
	if id, err = registry.ParseID(text); err != nil || id.String() != text {
		return 0, nil, f, notFound("An API's address ends with its ID of 16 hexadecimal digits. Search for its name.")
	}
	if values, err = parameters(r, filterNames...); err != nil {
		return 0, nil, f, err
	}
	f, err = filterOf(values)
	return id, values, f, err
}

// figures returns an API and its statistics, in all groupings of the page.
func (p *Pages) figures(ctx context.Context, id registry.ID, f fleet.Filter) (a *fleet.API, groups map[fleet.Grouping][]fleet.Group, err error) {
	by := []fleet.Grouping{fleet.NoGrouping, fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU}
	if a, err = p.Store.API(ctx, id); err != nil {
		return nil, nil, err
	}
	lists, err := p.Store.FiguresBy(ctx, id, f, by...)
	if err != nil {
		return nil, nil, err
	}
	groups = map[fleet.Grouping][]fleet.Group{}
	for i := range by {
		groups[by[i]] = lists[i]
	}
	return a, groups, nil
}

// profileOf returns a profile with only this marker.
func profileOf(a *fleet.API, m *profile.Marker, runs uint64) *profile.Profile {
	marker := *m
	marker.ID, marker.Name, marker.Package, marker.Kind, marker.File, marker.Line = a.ID, a.Name, a.Package, a.Kind, a.File, a.Line
	return &profile.Profile{
		App: "fleet", Run: units.Plural(int(min(runs, 1<<31)), "run"), Runs: int(min(runs, 1<<31)),
		Start: a.First, State: "stopped", Complete: true, Markers: []profile.Marker{marker},
	}
}

// describeFilter describes a filter in words.
func describeFilter(f fleet.Filter) string {
	var parts []string
	for _, p := range []struct{ word, text string }{
		{"build", f.Build}, {"Go", f.Go}, {"operating system", f.GOOS}, {"architecture", f.GOARCH}, {"processor", f.CPU},
	} {
		if p.text != "" {
			parts = append(parts, p.word+" "+shown(p.text))
		}
	}
	if f.From != 0 {
		parts = append(parts, "from "+f.From.String())
	}
	if f.To != 0 {
		parts = append(parts, "to "+f.To.String())
	}
	return strings.Join(parts, ", ")
}

// facts sets the list of numbers.
func (c *apiContent) facts(m *profile.Marker) {
	if m.Count == 0 {
		return
	}
	add := func(word, value, full string) { c.Facts = append(c.Facts, fact{word, value, full}) }
	noun := scopes(c.API.Kind, 2)[2:]
	number := units.Count(m.Count)
	if se := m.CountSE(); m.Sampled() && se > 0 {
		number += fmt.Sprintf(" ± %s", percent(se/float64(m.Count)))
	}
	add(noun, number, "")
	if m.Timed() > 0 {
		mean := units.Duration(m.MeanNS())
		if se, ok := standardError(m); ok && m.MeanNS() > 0 {
			mean += " ± " + percent(se/m.MeanNS())
		}
		add("mean", mean, "with its standard error")
		for _, q := range []float64{0.5, 0.9, 0.99} {
			lo, hi := m.QuantileBounds(q)
			add(fmt.Sprintf("p%g", 100*q), units.Duration(m.QuantileNS(q)), fmt.Sprintf("surely from %s to %s", units.Duration(lo), units.Duration(hi)))
		}
		add("longest", units.Duration(float64(m.MaxNS)), "")
		add("in all", units.Duration(float64(m.TotalNS())), "")
		add("of it its own", units.Duration(float64(m.SelfNS)), "without what was spent in markers inside")
	}
	for _, collector := range []string{profile.Alloc, profile.ProcessAlloc} {
		if r := m.Reading(collector); r != nil && r.Scopes > 0 {
			if v := r.Value(profile.AllocBytes); v != nil {
				add("memory", size(r.Mean(*v)), "allocated "+during(collector)+", mean")
			}
			if v := r.Value(profile.AllocObjects); v != nil {
				add("objects", fmt.Sprintf("%.3g", r.Mean(*v)), "allocated "+during(collector)+", mean")
			}
			break
		}
	}
	if m.Sampled() {
		c.Cautions = append(c.Cautions, fmt.Sprintf("The figures are estimates from %s that were recorded.", scopes(c.API.Kind, m.Samples)))
	}
	if m.Timed() > 0 {
		c.Cautions = append(c.Cautions, "Standard errors are as if each scope had been drawn by itself. Those of one run share its machine and moment, so with few runs the truth may be further off.")
	}
}

func during(collector string) string {
	if collector == profile.Alloc {
		return "in it"
	}
	return "by the process meanwhile"
}

// draw sets the histograms.
func (c *apiContent) draw(kind string, m *profile.Marker) {
	what := c.What
	if list := timeBuckets(m); len(list) > 0 {
		c.Histograms = append(c.Histograms, timeMeasure.draw("times", "Time of "+article(what), kind, list))
	}
	for _, collector := range []string{profile.Alloc, profile.ProcessAlloc} {
		r := m.Reading(collector)
		if r == nil {
			continue
		}
		if v := r.Value(profile.AllocBytes); v != nil && len(v.Buckets) > 0 {
			title := "Memory allocated in " + article(what)
			if collector == profile.ProcessAlloc {
				title = "Memory allocated by the process during " + article(what)
			}
			c.Histograms = append(c.Histograms, bytesMeasure.draw("memory", title, kind, valueBuckets(v.Buckets)))
			break
		}
	}
}

func article(noun string) string {
	if noun == "iteration" {
		return "an " + noun
	}
	return "a " + noun
}

// shape sets the labels of the time's behaviour, and the evidence for them.
func (c *apiContent) shape(p *profile.Profile) {
	m := &p.Markers[0]
	if m.Count == 0 {
		return
	}
	s := shape.Of(m, shape.For(p))
	c.Labels = s.Labels()
	for _, line := range s.Evidence() {
		e := evidence{Property: line.Property, Text: shown(line.Evidence), Need: shown(line.Need)}
		switch line.Verdict {
		case shape.Yes:
			e.Verdict, e.Need = "yes", ""
		case shape.No:
			e.Verdict, e.Need = "no", ""
		default:
			e.Verdict = "not known"
		}
		c.Evidence = append(c.Evidence, e)
	}
	if s.Few() {
		c.Evidence = append(c.Evidence, evidence{"few data", "", "Only " + scopes(c.API.Kind, s.Calls) + " were timed.", ""})
	}
}

// groups sets the tables of groups.
func (c *apiContent) groups(kind string, values url.Values, groups map[fleet.Grouping][]fleet.Group) {
	for _, by := range []struct {
		by        fleet.Grouping
		caption   string
		head      string
		parameter string
		hardware  bool
	}{
		{fleet.ByBuild, "By build, the newest first", "Build", "build", false},
		{fleet.ByGo, "By version of Go", "Go", "go", false},
		{fleet.ByCPU, "By processor", "Processor", "cpu", true},
		{fleet.ByGOOS, "By operating system", "System", "goos", true},
		{fleet.ByGOARCH, "By architecture", "Architecture", "goarch", true},
	} {
		list := groups[by.by]
		if by.by == fleet.ByBuild {
			list = slices.Clone(list)
			slices.Reverse(list)
		}
		t := c.group(kind, by.caption, by.head, by.parameter, values, list)
		if by.hardware {
			c.Hardware = append(c.Hardware, t)
		} else {
			c.Tables = append(c.Tables, t)
		}
	}
}

func (c *apiContent) group(kind, caption, head, parameter string, values url.Values, list []fleet.Group) table {
	noun := strings.TrimPrefix(scopes(kind, 2), "2 ")
	t := table{Caption: caption, Head: []string{head, strings.ToUpper(noun[:1]) + noun[1:], "Mean", "Standard error", "p50", "p90", "p99"}, Wide: true}
	if len(list) > maxGroupRows {
		t.Note = fmt.Sprintf("There are %s more; a filter shows them.", units.Count(uint64(len(list)-maxGroupRows)))
		list = list[:maxGroupRows]
	}
	most := 0.0
	for i := range list {
		most = max(most, list[i].Marker.MeanNS())
	}
	for i := range list {
		g := &list[i]
		m := &g.Marker
		r := row{Name: name{Text: cmp.Or(shown(g.Key), "not known")}}
		if g.Key != "" {
			r.Name.Href = address(c.All, with(values, parameter, g.Key))
		}
		r.Cells = []cell{text(units.Count(m.Count))}
		if m.Timed() == 0 {
			r.Cells = append(r.Cells, text(none), text(none), text(none), text(none), text(none))
		} else {
			mean := m.MeanNS()
			se := text(none)
			if e, ok := standardError(m); ok && mean > 0 {
				se = cell{Text: "±" + percent(e/mean), Full: units.Duration(e)}
			}
			r.Cells = append(r.Cells, bar(units.Duration(mean), mean/max(most, 1e-9), 0), se)
			for _, q := range []float64{0.5, 0.9, 0.99} {
				lo, hi := m.QuantileBounds(q)
				r.Cells = append(r.Cells, cell{Text: units.Duration(m.QuantileNS(q)), Full: fmt.Sprintf("surely from %s to %s", units.Duration(lo), units.Duration(hi))})
			}
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// sizes sets the table of times by input size, if there are any.
func (c *apiContent) sizes(m *profile.Marker) {
	if len(m.Sizes) == 0 {
		return
	}
	noun := strings.TrimPrefix(scopes(c.API.Kind, 2), "2 ")
	t := &table{Caption: "By size of the input", Head: []string{"Size", strings.ToUpper(noun[:1]) + noun[1:], "Mean", "Typical", "A unit"}}
	most := 0.0
	for i := range m.Sizes {
		most = max(most, m.Sizes[i].MeanNS())
	}
	for i := range m.Sizes {
		b := &m.Sizes[i]
		bounds := units.Count(b.LoSize())
		if b.HiSize()-b.LoSize() > 1 {
			bounds += " – " + units.Count(b.HiSize()-1)
		}
		typical, unit := none, none
		if ns, _, ok := b.TypicalNS(); ok {
			typical = units.Duration(ns)
		}
		if b.K > 0 {
			unit = units.Duration(b.NSPerUnit())
		}
		t.Rows = append(t.Rows, row{name{Text: bounds}, []cell{text(units.Count(b.Count)), bar(units.Duration(b.MeanNS()), b.MeanNS()/max(most, 1e-9), 0), text(typical), text(unit)}})
	}
	c.Sizes = t
}

// fields returns the fields of the filter form.
func fields(values url.Values, groups map[fleet.Grouping][]fleet.Group) []field {
	keys := func(by fleet.Grouping) (list []string) {
		g := groups[by]
		for i := len(g) - 1; i >= 0 && len(list) < maxGroupRows; i-- {
			if g[i].Key != "" && len(g[i].Key) <= maxParameter {
				list = append(list, g[i].Key)
			}
		}
		return list
	}
	get := values.Get
	return []field{
		{"build", "Build", get("build"), "text", keys(fleet.ByBuild)},
		{"go", "Go version", get("go"), "text", keys(fleet.ByGo)},
		{"goos", "Operating system", get("goos"), "text", keys(fleet.ByGOOS)},
		{"goarch", "Architecture", get("goarch"), "text", keys(fleet.ByGOARCH)},
		{"cpu", "Processor", get("cpu"), "text", keys(fleet.ByCPU)},
		{"from", "From day", get("from"), "date", nil},
		{"to", "To day", get("to"), "date", nil},
	}
}

// inside lists the markers inside a function, and finds the function that encloses a marker.
func (c *apiContent) inside(x *catalogue.Index, a *fleet.API) {
	if list := x.List(catalogue.List{Inside: a.ID, Limit: 200}); len(list.APIs) > 0 {
		t := apis("Markers inside: its loops, branches and function literals", list.APIs)
		for i := range t.Rows {
			t.Rows[i].Name.Path = ""
			if _, rest, ok := strings.Cut(list.APIs[i].Name, a.Name+":"); ok {
				t.Rows[i].Name.Text = cut(report.Printable(rest), 160)
			}
		}
		if list.Next != 0 {
			t.Note = fmt.Sprintf("These are %s of %s.", units.Count(uint64(len(list.APIs))), units.Count(uint64(list.Total)))
		}
		c.Inner = &t
	}
	_, own := function(a.Name, a.Package)
	outer, _, ok := strings.Cut(own, ":")
	if !ok {
		return
	}
	found, err := x.Search(catalogue.Query{Text: strings.TrimSuffix(a.Name, own) + outer, Package: a.Package, Limit: 10})
	for i := range found.APIs {
		if f := &found.APIs[i]; err == nil && f.Name == strings.TrimSuffix(a.Name, own)+outer {
			c.Outer = f
			return
		}
	}
}

// download sends the statistics of an API's page as a file.
func (p *Pages) download(w http.ResponseWriter, r *http.Request) {
	text, kind, err := p.file(r)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	h := w.Header()
	protect(h)
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Cookie")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", r.PathValue("id")+"-"+r.PathValue("file")))
	if !notModified(w, r, text) && r.Method != http.MethodHead {
		_, _ = w.Write(text) // an error means that the client is gone
	}
}

func (p *Pages) file(r *http.Request) (text []byte, kind string, err error) {
	id, _, f, err := parseAPIRequest(r)
	if err != nil {
		return nil, "", err
	}
	format, kind := "", ""
	switch r.PathValue("file") {
	case "figures.json":
		format, kind = "json", "application/json"
	case "figures.pb.gz":
		format, kind = "pprof", "application/octet-stream"
	case "figures.markgen":
		kind = "application/vnd.markgen.profile"
	default:
		return nil, "", notFound("The files there are: figures.json, figures.pb.gz and figures.markgen.")
	}
	a, err := p.Store.API(r.Context(), id)
	if err != nil {
		return nil, "", err
	}
	groups, err := p.Store.FiguresBy(r.Context(), id, f, fleet.NoGrouping)
	if err != nil {
		return nil, "", err
	}
	m, runs := new(profile.Marker), uint64(0)
	if all := groups[0]; len(all) > 0 {
		m, runs = &all[0].Marker, all[0].Runs
	}
	one := profileOf(a, m, runs)
	if format == "" {
		text, err = codec.Encode(one)
		return text, kind, err
	}
	var out bytes.Buffer
	err = report.Write(&out, one, report.Options{Format: format})
	return out.Bytes(), kind, err
}
