package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
)

// Options say how a report is written. The zero value is the text report
// sorted by self time, as wide as it needs to be, without colour.
type Options struct {
	// Format is one of Formats; "" is text.
	Format string

	// Sort orders the markers, where the format has them one by one; one of Sorts. "" is name, and
	// for text and html self, total where there are no self times, or count where there are no
	// times. name and place ascend, the others descend, markers without a passage last; equal ones
	// are by name.
	Sort string

	// Width is the number of columns the text format may use; 0 is no limit.
	// Names and places are shortened to fit, then columns left out.
	Width int

	// Top is how many markers the text format shows, the first ones in the order of Sort; 0 is all.
	// A line says how many others there are.
	Top int

	// NoWaits leaves out of the text format what goroutines waited for, value by value. How long
	// they did remains.
	NoWaits bool

	// Rest ends that line, and says to people how they come by the others; "": nothing.
	Rest string

	// Hist adds a line to each marker of the text format that has times: how they
	// are distributed.
	Hist bool

	// ASCII keeps the bars of histograms in the text format to characters that
	// every terminal has.
	ASCII bool

	// Shapes adds to the text format and the json format how the time of each marker behaves:
	// package profile/shape. The cards of the html format have that in any case.
	Shapes bool

	// Color makes the text format use a terminal's colours.
	Color bool

	// Source gives the text of a file with markers in it, by their package and the name that
	// they have it by: slash separated, below GOROOT/src if std is true, else relative to the
	// root of the package's module or absolute. An error says, to people, why there is none.
	// The html format shows the text, the text format the headers of loops and branches; nil: none.
	Source func(pkg, file string, std bool) (Source, error)

	// Link gives the address that a place of the html format leads to, for a file as Source has it,
	// with {line} where the number of the line belongs; "": the place leads nowhere. nil: none
	// does.
	Link func(pkg, file string, std bool) string

	// API makes the html format a catalogue: it opens with the API view, and has nothing but
	// the exported functions and methods of packages that can be imported.
	API bool

	// Buckets adds to the prom format the distribution of each marker's times, as a classic
	// histogram: a time series for each factor of two.
	Buckets bool

	// Against is the older profile that the html format compares with; nil: none.
	Against *profile.Profile

	// Compared is the comparison of the runs that the profile and Against are sums of: the html
	// format colours what it found, and nothing else. nil: the page has the changes without a word
	// on which are more than chance.
	Compared *compare.Result

	// Mode is that of the cover format: "set", "count" or "atomic"; "" is count.
	Mode string

	common commonPart // what the names in the text format are without
}

// format is one way to write a profile. The markers come sorted.
type format struct {
	name  string
	write func(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error

	binary   bool // not text: nothing for a terminal
	runByRun bool // runs are written one after the other, not added up
	records  bool // made of the records of runs, not of profiles: a TraceWriter writes it
}

var formats = []format{
	{name: "text", write: writeText},
	{name: "json", write: writeJSON},
	{name: "html", write: writeHTML},
	{name: "pprof", write: writePprof, binary: true},
	{name: "cover", write: writeCover},
	{name: "bench", write: writeBench, runByRun: true},
	{name: "prom", write: writeProm},
	{name: "trace", write: writeNoTrace, records: true},
}

// writeNoTrace is in the place of what a TraceWriter does.
func writeNoTrace(*bufio.Writer, *profile.Profile, []*profile.Marker, Options) error {
	return errors.New("the trace format takes the data files of single runs, not their sum")
}

// shaping are the formats that show shapes.
var shaping = []string{"text", "json", "html"}

// comparing are the formats that show a profile against another.
var comparing = []string{"html"}

// Formats lists the formats there are, the default first.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Binary tells whether a format is none for a terminal.
func Binary(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.binary })
}

// RunByRun tells whether a format is for runs one by one, as they are its samples:
// what Write writes of each follows what it wrote of the one before.
func RunByRun(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.runByRun })
}

// Records tells whether a format is made of the records of runs, by a TraceWriter, and
// not of a profile by Write.
func Records(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.name == name && f.records })
}

// Check returns an error for options that Write can't obey. The message names
// what there is instead.
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
	if o.Top > 0 && o.Format != "" && o.Format != formats[0].name {
		return fmt.Errorf("the first markers alone are for the %s format; %s has all of them", formats[0].name, o.Format)
	}
	if o.Hist && o.Format != "" && o.Format != formats[0].name {
		return fmt.Errorf("histogram lines are for the %s format, not for %s", formats[0].name, o.Format)
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

// Write writes the profile to w. Errors are those of Check and those of w.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	i := max(0, slices.Index(Formats(), o.Format))
	if i == 0 && o.Sort == "" {
		o.Sort = defaultOrder(p)
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	if err := formats[i].write(bw, p, sorted(p, o.Sort), o); err != nil {
		return err
	}
	return bw.Flush()
}

// list joins words as a sentence does.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
