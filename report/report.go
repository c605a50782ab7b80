package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
)

// Options are the options of a report. The zero value is the text report in the default order,
// without width limit or colour.
type Options struct {
	// Format is one of Formats; "" is text.
	Format string

	// Sort is the order of the markers, one of Sorts, in formats that list them one by one. The
	// default "" is name; for text, markdown and html it is self, or running if waiting times are known,
	// total if there are no self times, or count if there are no times. name and place are
	// ascending; the others are descending, with markers that were not executed last. Ties are by
	// name.
	Sort string

	// Width is the maximum number of columns of the text format; 0 is no limit. Names and places
	// are shortened to fit, then columns are omitted.
	Width int

	// Top is the maximum number of markers that the text and markdown formats show, in the order of
	// Sort; 0 is all, and 15 for markdown. A line states the number of omitted markers.
	Top int

	// NoWaits omits from the text format the wait times by reason. Total wait times remain.
	NoWaits bool

	// Rest ends the line about omitted markers, and tells the user how to see them; may be "".
	Rest string

	// Hist adds to the text format a histogram line for each marker with times.
	Hist bool

	// ASCII restricts the bars of histograms in the text format to ASCII characters.
	ASCII bool

	// Paths adds to the text format the tree of call paths, without those that took less than a
	// hundredth of the time. It is an error if the profile has none.
	Paths bool

	// Cost makes the text format show what measuring cost, by marker, in the place of times. It is
	// an error if the profile does not have the processor time.
	Cost bool

	// Shapes adds to the text and json formats the shape of each marker's times: see package
	// profile/shape. The html format always shows shapes on cards.
	Shapes bool

	// Color makes the text format use a terminal's colours.
	Color bool

	// Source returns the source text of a file with markers, by package and file name:
	// slash-separated, and relative to GOROOT/src if std is true, otherwise relative to the root of
	// the package's module, or absolute. The error explains to the user why there is no text. The
	// html format shows the text, and the text format the headers of loops and branches; if nil,
	// they do not.
	Source func(pkg, file string, std bool) (Source, error)

	// Link returns the URL to which a place in the html format links, for a file as in Source, with
	// {line} for the line number; "" for no link. If nil, there are no links.
	Link func(pkg, file string, std bool) string

	// API makes the html format a catalogue: it opens with the API view, and only includes exported
	// functions and methods of packages that can be imported.
	API bool

	// Buckets adds to the prom format the distribution of each marker's times, as a classic
	// histogram: a time series for each power of two.
	Buckets bool

	// Against is the older profile with which the html format compares; nil if there is none.
	Against *profile.Profile

	// Compared is the comparison of the runs whose sums are the profile and Against: the html
	// format highlights only the changes that it found. If nil, the page shows changes without
	// saying which are significant.
	Compared *compare.Result

	// Mode is the mode of the cover format: "set", "count" or "atomic"; "" is count.
	Mode string

	// Now is the time of the points of the otlp format; the zero value is the current time.
	Now time.Time

	common commonPart // common prefix that the text format omits from names
}

// A format is one way to write a profile. The markers are already sorted.
type format struct {
	name  string
	write func(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error

	binary   bool // not for a terminal
	runByRun bool // runs are written one after another, not added up
	records  bool // made from the records of runs by a TraceWriter, not from a profile
}

var formats = []format{
	{name: "text", write: writeText},
	{name: "json", write: writeJSON},
	{name: "html", write: writeHTML},
	{name: "pprof", write: writePprof, binary: true},
	{name: "folded", write: writeFolded},
	{name: "cover", write: writeCover},
	{name: "bench", write: writeBench, runByRun: true},
	{name: "prom", write: writeProm},
	{name: "otlp", write: writeOTLP},
	{name: "markdown", write: writeMarkdown},
	{name: "trace", write: writeNoTrace, records: true},
}

// writeNoTrace is the placeholder in the table for the format of TraceWriter.
func writeNoTrace(*bufio.Writer, *profile.Profile, []*profile.Marker, Options) error {
	return errors.New("the trace format takes the data files of single runs, not their sum")
}

// shaping are the formats that show shapes.
var shaping = []string{"text", "json", "html"}

// forPeople are the formats of which a part of the markers can be shown, in an order of their own.
var forPeople = []string{"text", "markdown"}

// comparing are the formats that can compare with another profile.
var comparing = []string{"html"}

// Formats returns the names of the formats, the default first.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Binary reports whether a format is not for a terminal.
func Binary(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.binary })
}

// RunByRun reports whether a format has the runs as separate samples: Write is called for each run,
// and the outputs are concatenated.
func RunByRun(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.runByRun })
}

// Records reports whether a format is made from the records of runs by a TraceWriter, instead of
// from a profile by Write.
func Records(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.records })
}

// Check returns an error if Write does not support the options. The message names the alternatives.
func (o Options) Check() error {
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		return fmt.Errorf("unknown format %q; the formats are %s", o.Format, list(Formats()))
	}
	if o.Sort != "" && !slices.Contains(Sorts(), o.Sort) {
		return fmt.Errorf("unknown sort key %q; the keys are %s", o.Sort, list(Sorts()))
	}
	if o.Against != nil && !slices.Contains(comparing, o.Format) {
		return fmt.Errorf("the format %s shows one profile; %s compares two", cmp.Or(o.Format, formats[0].name), list(comparing))
	}
	if o.API && o.Format != "html" {
		return fmt.Errorf("a catalogue of an API is a page of the html format, not of %s", cmp.Or(o.Format, formats[0].name))
	}
	if o.Top < 0 {
		return fmt.Errorf("the first %d markers can't be; give a number from 1 on", o.Top)
	}
	if o.Top > 0 && !slices.Contains(forPeople, cmp.Or(o.Format, formats[0].name)) {
		return fmt.Errorf("the first markers alone are for the formats %s; %s has all of them", list(forPeople), o.Format)
	}
	if o.Hist && o.Format != "" && o.Format != formats[0].name {
		return fmt.Errorf("histogram lines are for the %s format, not for %s", formats[0].name, o.Format)
	}
	if o.Paths && o.Format != "" && o.Format != formats[0].name {
		return fmt.Errorf("-paths is for the %s format; html, json, pprof and folded have the call paths in any case", formats[0].name)
	}
	if o.Cost && o.Format != "" && o.Format != formats[0].name {
		return fmt.Errorf("-cost is for the %s format, not for %s", formats[0].name, o.Format)
	}
	if o.Buckets && o.Format != "prom" {
		return fmt.Errorf("classic histograms are for the prom format, not for %s", cmp.Or(o.Format, formats[0].name))
	}
	if format := cmp.Or(o.Format, formats[0].name); o.Shapes && !slices.Contains(shaping, format) {
		return fmt.Errorf("the format %s has no room for shapes; %s have it", format, list(shaping))
	}
	if o.Mode != "" && !slices.Contains(modes, o.Mode) {
		return fmt.Errorf("unknown cover mode %q; the modes are %s", o.Mode, list(modes))
	}
	return nil
}

// Write writes the profile to w. Errors are those of Check and of w.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	i := max(0, slices.Index(Formats(), o.Format))
	if slices.Contains(forPeople, formats[i].name) && o.Sort == "" {
		o.Sort = defaultOrder(p)
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	if err := formats[i].write(bw, p, sorted(p, o.Sort), o); err != nil {
		return err
	}
	return bw.Flush()
}

// list joins words as in a sentence.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
