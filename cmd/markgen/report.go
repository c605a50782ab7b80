package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

var cmdReport = &cli.Command{
	Name:  "report",
	Sides: true,
	Short: "what marked programs measured, as text or for other programs",
	Long: `
usage: markgen report [-format F] [-sort K] [-top N] [-filter F] [-hist] [-paths] [-cost] [-shapes] [-buckets] [-src DIR] [-link URL] [-o FILE | -http ADDR] DATA…
       markgen report -format html [-api] [-threshold 5%] [-alpha 0.05] [flags] OLD… -- NEW…

Report writes reports of data files. Each DATA is a file, a folder with data files, or a
pattern such as 'run*.markgen'. Several runs are added up, marker by marker, and a file that is named twice
counts once. Runs that were killed or still go on can be read as well.

  -format F  text (default): a table, with markers that were never reached;
             json: one object, every marker with its buckets
             html: a page that holds everything: the table to sort and search, distributions, the source, and where call
             paths were recorded a flame graph
             cover: a coverage profile for go tool cover, of programs built to count cover blocks, or with
             markers in their source, added up; of markgen test -coverprofile each package has what its own tests
             cover, as with go
             pprof: a profile for go tool pprof, with the sample types count, total and self; with call paths stacks
             are whole, and values add up along them
             folded: of call paths, a line for each with its self time in ns, for flamegraph.pl, inferno and speedscope.app
             bench: Go benchmark lines for benchstat; runs are not added up, each is a sample
             prom: metrics for Prometheus: count and sum of each marker's times; -http serves them under
             /metrics, with native histograms to scrapers that ask for protocol buffers
             otlp: metrics for OpenTelemetry, exponential histograms and sums, as JSON, a line for each request; -o
             http://HOST:4318 sends them to a receiver, with the headers of OTEL_EXPORTER_OTLP_HEADERS
             markdown: a table of the first 15 markers, or -top, for a comment on a pull request, the text collapsed
             trace: each scope with its time, for ui.perfetto.dev, speedscope.app and chrome://tracing, of runs
             with collect=trace; runs are side by side, in the order of their start
  -sort K    the order: self (default), running (default of deep builds), waiting, total, count, mean or max, the
             largest first; name (default of formats other than text, markdown and html) or place, ascending
  -top N     only the first N markers of text or markdown, in the order of -sort
  -filter F  only markers whose names contain F or, with *, match it (* is any text); not for cover and trace
  -hist      below each marker of the text a line that shows how its times are distributed: a bar for each
             factor of two, higher for ten times as many scopes by the same amount, coloured by the time spent
  -paths     below the text the tree of call paths; without those that took less than a hundredth of the time
  -cost      in place of times what measuring cost, by marker and in all, and what would bring that down to 1%
  -shapes    in text and json how each marker's time behaves, with the evidence: O(1), O(log n), O(n), O(n log n)
             or O(n²) in the size of its input (size=, or markgen run -sizes), what the first call costs,
             several kinds of calls, a heavy tail, allocation; and where data are too few, what is missing. The cards of html
             have that in any case
  -buckets   in prom the distribution of each marker's times, too, as a classic histogram: that is a time series for
             each factor of two, 20 or so for a marker
  -o FILE    write to FILE (or, of otlp, to a URL), which is replaced as a whole or stays as it was
  -http ADDR serve the report on HOST:PORT, without HOST for this machine alone, until interrupted; the URL is
             printed. The data are read again at each request. The formats are text, json, html and prom
  -api       make the page of the html format a catalogue of an API, to publish next to its documentation: a card
             for each exported function of packages that others can import, with its signature and the first
             sentence of its comment where source is found, and nothing else
  -src DIR   where the source is, for headers of loops and branches in text, and for html and cover: the root of the
             marked module (default: that of the working directory); none: without source. The standard library and
             dependencies are found by go
  -link URL  link of places in the html format: {file} is the file's name in the module that was marked, {path} that
             on this machine, {line} the line, such as 'https://github.com/o/r/blob/main/{file}#L{line}';
             none: nowhere (default: ` + editorLink + `, the editor; of -api none)

With -- between data files, or of a folder alone that -runs has written with -old, the html format compares: what got
worse and what got better, as markgen diff decides with -threshold and -alpha, both distributions of a marker in one chart, and the change of its count, total and mean.

On a terminal the text is cut down to its width and coloured, unless NO_COLOR is set. Where standard output is
something else it is as wide as it needs to be, or as COLUMNS says.
Of a damaged file the sound part is reported; the exit code is then 1, as for a file that can't be read at all.

examples:
  markgen report demo.4711.markgen
  markgen report -sort total -top 20 runs/
  markgen report -filter parse demo.4711.markgen
  markgen report -hist -sort count demo.4711.markgen
  markgen report -paths runs/
  markgen report -cost -top 10 runs/
  markgen report -shapes runs/
  markgen report -format html -o report.html runs/
  markgen report -format html -api -o api.html runs/
  markgen report -format html -http :8080 runs/
  markgen report -format html -o change.html before.markgen -- after.markgen
  markgen report -format json 'runs/*.markgen' | jq '.markers[] | select(.count == 0) | .name'
  markgen report -format cover -o cover.out test.markgen && go tool cover -html cover.out
  markgen report -format pprof -o shop.pb.gz runs/ && go tool pprof -http :8080 shop.pb.gz
  markgen report -format folded runs/ | flamegraph.pl > flame.svg
  markgen report -format bench -o old.txt old/ && markgen report -format bench -o new.txt new/ && benchstat old.txt new.txt
  markgen report -format prom -http :9464 /var/lib/shop/runs/
  markgen report -format otlp -o http://localhost:4318 /var/lib/shop/runs/
  markgen report -format trace -o trace.json traced.markgen`,
	Run: runReport,
}

func runReport(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	var o report.Options
	fs.StringVar(&o.Format, "format", "text", "")
	fs.StringVar(&o.Sort, "sort", "", "")
	filter := fs.String("filter", "", "")
	fs.IntVar(&o.Top, "top", 0, "")
	fs.BoolVar(&o.Hist, "hist", false, "")
	fs.BoolVar(&o.Paths, "paths", false, "")
	fs.BoolVar(&o.Cost, "cost", false, "")
	fs.BoolVar(&o.Shapes, "shapes", false, "")
	fs.BoolVar(&o.Buckets, "buckets", false, "")
	fs.BoolVar(&o.API, "api", false, "")
	out := fs.String("o", "", "")
	addr := fs.String("http", "", "")
	src := fs.String("src", "", "")
	link := fs.String("link", "", "")
	rule := compare.Options{}
	threshold := percentage(compare.DefaultThreshold)
	fs.Var(&threshold, "threshold", "")
	fs.Float64Var(&rule.Alpha, "alpha", compare.DefaultAlpha, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	data := reportArgs(fs.Args())
	if old, fresh := pair(env, fs.Args()); old != "" && o.Format == "html" {
		data = dataArgs{old: []string{old}, now: []string{fresh}}
	}
	if data.compared() {
		o.Against = new(profile.Profile) // for Check only; read sets the actual profile
	}
	if err := o.Check(); err != nil {
		return env.Wrong("%v", err)
	}
	if len(data.now) == 0 && !data.compared() {
		return env.Wrong("no data file is given")
	}
	if len(data.now) == 0 || data.compared() && len(data.old) == 0 {
		return env.Wrong("data files are expected on both sides of --: OLD… -- NEW…")
	}
	if data.rule = rule; !data.compared() && (rule.Alpha != compare.DefaultAlpha || threshold != compare.DefaultThreshold) {
		return env.Wrong("-threshold and -alpha are for what is compared: OLD… -- NEW…")
	}
	data.rule.Threshold = float64(threshold)
	if _, err := compare.NewComparison(data.rule); err != nil || rule.Alpha == 0 {
		return env.Wrong("-alpha %v; it is a probability between 0 and 1, such as 0.05", rule.Alpha)
	}
	data.src = *src
	if data.filter = *filter; *filter != "" && (o.Format == "cover" || report.Records(o.Format)) {
		return env.Wrong("-filter is for markers one by one, which the format %s has not", o.Format)
	}
	if o.Format == "html" || o.Format == "text" || o.Format == "markdown" {
		var err error
		if o.Source, err = sourceReader(env, *src); err != nil {
			return env.Wrong("%v", err)
		}
		if o.Format == "html" {
			if o.Link, err = placeLinks(env, *link, *src, o); err != nil {
				return env.Wrong("%v", err)
			}
			if *out == "" && *addr == "" && cli.IsTerminal(env.Stdout) {
				return env.Wrong("a page is not for a terminal; -o FILE writes it, -http ADDR serves it")
			}
		}
	} else if *src != "" && o.Format != "cover" {
		return env.Wrong("-src is for the formats text, markdown, html and cover")
	}
	if *link != "" && o.Format != "html" {
		return env.Wrong("-link is for the html format")
	}
	if *addr != "" {
		if *out != "" {
			return env.Wrong("-o and -http exclude each other: the report is written or served")
		}
		if err := checkServed(o.Format, *addr); err != nil {
			return env.Wrong("%v", err)
		}
		return serveReport(ctx, env, *addr, o, readAnew(env, data))
	}
	if _, port, err := net.SplitHostPort(*out); err == nil && port != "" && o.Format == "otlp" {
		return env.Wrong("-o %s is neither a URL nor a usual name of a file; write http://%[1]s, or ./%[1]s", *out)
	}
	if isURL(*out) && o.Format != "otlp" {
		return env.Wrong("-o %s is a URL, to which the format otlp is sent; name a file", *out)
	}
	toStdout := *out == ""
	if !toStdout && runfile.IsData(env.Path(*out)) {
		return env.Fail(fmt.Errorf("%s holds data, which the report would replace; give -o another name", *out))
	}
	if toStdout && report.Binary(o.Format) && cli.IsTerminal(env.Stdout) {
		return env.Wrong("the format %s is not text, and standard output is a terminal: write it to a file with -o FILE", o.Format)
	}
	if report.Records(o.Format) {
		return reportTrace(ctx, env, data.now, *out)
	}
	if report.RunByRun(o.Format) {
		return reportRuns(ctx, env, data, *out, o)
	}
	read := data.read
	if o.Format == "cover" {
		read = data.readCover
	}
	p, old, code := read(env)
	if p == nil {
		return code
	}
	o.Against, o.Compared, o.ASCII = old, data.verdicts(env), asciiOnly(env)
	if o.Format != "markdown" && (!toStdout || o.Format != "text") { // otherwise they are part of the report
		for _, warning := range p.Cautions() {
			env.Warn(warning)
		}
		if old != nil {
			for _, warning := range old.Cautions() {
				env.Warn(warning)
			}
		}
	}
	if o.Format == "cover" && len(p.Blocks) == 0 {
		return env.Fail(errors.New("no cover blocks are in the data; make data that have them with markgen run -cover or markgen test -cover"))
	}
	if p.Damaged || old != nil && old.Damaged {
		code = cli.Failure
	}
	if toStdout && o.Format != "markdown" {
		o.Width, o.Color = env.Terminal(env.Stdout)
	}
	if isURL(*out) {
		var text bytes.Buffer
		err := report.Write(&text, p, o)
		if err == nil {
			err = sendOTLP(ctx, env, *out, text.Bytes())
		}
		if err != nil {
			return env.Fail(err)
		}
		return code
	}
	if err := env.Stream(ctx, *out, func(w io.Writer) error { return report.Write(w, p, o) }); err != nil {
		return env.Fail(err)
	}
	return code
}

// dataArgs are the names of data files on a command line.
type dataArgs struct {
	now []string
	old []string // names before --; nil if there is nothing to compare with

	filter string          // selects markers, see report.Matches
	rule   compare.Options // rule by which a change is worse or better
	src    string          // where the source is, see sourceReader
}

func reportArgs(args []string) dataArgs {
	i := slices.Index(args, "--")
	if i < 0 {
		return dataArgs{now: args}
	}
	return dataArgs{now: args[i+1:], old: args[:i:i]}
}

func (d dataArgs) compared() bool { return d.old != nil }

// read reads and merges the data of both sides, as readRuns does. p is nil if a side has no data.
func (d dataArgs) read(env *cli.Env) (p, old *profile.Profile, code int) {
	if d.compared() {
		if old, code = readRuns(env, d.old); old == nil {
			return nil, nil, code
		}
	}
	p, nowCode := readRuns(env, d.now)
	if p != nil {
		p = d.shown(env, p)
	}
	if old != nil {
		old = old.Only(d.matches)
		d.places(env).place(old)
	}
	return p, old, max(code, nowCode)
}

// verdicts compares the runs of both sides, as diff does. It returns nil if there is one side.
// Files that cannot be read are ignored: read has reported them.
func (d dataArgs) verdicts(env *cli.Env) *compare.Result {
	if !d.compared() {
		return nil
	}
	quiet := *env
	quiet.Stderr = io.Discard
	c, err := compare.NewComparison(d.rule)
	if err != nil {
		return nil // the flags were checked before
	}
	code := cli.OK
	for label, args := range [][]string{d.old, d.now} {
		for file := range findRuns(&quiet, args, &code) {
			if p, err := runfile.Read(file); err == nil {
				c.Add(compare.Label(label), p) // cannot fail: the metric is time
			}
		}
	}
	return c.Result()
}

// places returns a placer for the source selected by the flags.
func (d dataArgs) places(env *cli.Env) *placer {
	if d.src == "none" {
		return newPlacer(env, "")
	}
	return newPlacer(env, d.src)
}

// matches reports whether the markers of that name are shown.
func (d dataArgs) matches(name string) bool { return report.Matches(d.filter, name) }

// shown returns the part of a profile selected by the filter, and reports if it is empty.
func (d dataArgs) shown(env *cli.Env, p *profile.Profile) *profile.Profile {
	some := p.Only(d.matches)
	d.places(env).place(some)
	if len(some.Markers) == 0 && some.Hidden > 0 {
		env.Warn(fmt.Sprintf("-filter %s: none of the %s has that in its name", d.filter, units.Plural(some.Hidden, "marker")))
	}
	return some
}

// readRuns reads and merges the data that the arguments name. Read errors are reported and set the
// exit code to that of a failure; if nothing can be read, the profile is nil.
func readRuns(env *cli.Env, args []string) (*profile.Profile, int) {
	code := cli.OK
	files := slices.Collect(findRuns(env, args, &code))
	p, readCode := addUp(env, files)
	return p, max(code, readCode)
}

// addUp is readRuns for file names.
func addUp(env *cli.Env, files []string) (*profile.Profile, int) {
	code := cli.OK
	var sum runfile.Sum
	progress := showProgress(env, "reading", "files")
	for i, file := range files {
		if err := sum.AddFile(file); err != nil {
			code = env.Fail(relative(env, err))
		}
		progress(i+1, len(files))
	}
	p := sum.Profile()
	if p.Runs == 0 {
		return nil, code
	}
	shortWarnings(env, p)
	return p, code
}

// shortWarnings shortens file names in a profile's warnings to what the user wrote.
func shortWarnings(env *cli.Env, p *profile.Profile) {
	for i, warning := range p.Warnings {
		p.Warnings[i] = shorten(env, warning)
	}
}

// relative returns err with file names as the user wrote them, without the working directory.
func relative(env *cli.Env, err error) error {
	return errors.New(shorten(env, err.Error()))
}

// shorten removes the working directory from the start of file names in a text.
func shorten(env *cli.Env, text string) string {
	dir := env.Dir + string(filepath.Separator)
	var b strings.Builder
	for {
		i := strings.Index(text, dir)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		if i > 0 && !strings.ContainsRune(" \t\n\"'(:;,", rune(text[i-1])) { // within another name
			b.WriteString(dir)
		}
		text = text[i+len(dir):]
	}
}

// asciiOnly reports whether a terminal may lack the characters used for bars, because of its locale
// or because it is a dumb terminal. Without a locale UTF-8 is assumed.
func asciiOnly(e *cli.Env) bool {
	locale := strings.ToLower(cmp.Or(e.Getenv("LC_ALL"), e.Getenv("LC_CTYPE"), e.Getenv("LANG"), "utf-8"))
	return e.Getenv("TERM") == "dumb" || !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
}
