package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/spelling"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/report"
)

var cmdBetween = &cli.Command{
	Name:  "between",
	Short: "the time between two markers of a trace, less the overhead of those in between",
	Long: `
usage: markgen between [-json] FROM TO DATA…

Between reads traces (MARKGEN=collect=trace) and prints the distribution of the time from a scope of the
marker FROM to the next scope of the marker TO on the same goroutine: the difference of the two timestamps,
less the overhead of all markers in between. A scope of TO is paired with the latest unpaired scope of FROM
before it. Each DATA is a file, a folder or a pattern, as for report; several are added up.

FROM and TO are names of markers, or ends of names (parse for example.com/shop.parse), or patterns in which *
stands for any text; each has to fit one marker. A scope counts where it begins. NAME@exit means where
it ends, NAME@enter where it begins. From a marker to itself is a scope's time.

  -json      an object: from, to, count, mean_ns, stddev_ns, min_ns, p50_ns, p90_ns, p99_ns, max_ns, overhead_ns
             (subtracted, per pair), unpaired (scopes of FROM and TO without the other)

Percentiles are estimated to one part in 64. Of a damaged file the sound part is read; the
exit code is then 1, as for one that can't be read at all.

examples:
  MARKGEN=collect=trace markgen run -o data.markgen .
  markgen between parse parse data.markgen
  markgen between -json request@enter 'reply sent' 'runs/*.markgen'
  markgen between '*.(*Server).read@exit' '*.(*Server).write@enter' data.markgen`,
	Run: runBetween,
}

func runBetween(_ context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	asJSON := fs.Bool("json", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if fs.NArg() < 3 {
		return env.Wrong("the markers FROM and TO and a data file are expected, not %d arguments", fs.NArg())
	}
	code := cli.OK
	b, err := between(env, fs.Arg(0), fs.Arg(1), findRuns(env, fs.Args()[2:], &code), &code)
	if err != nil {
		return env.Fail(relative(env, err))
	}
	if b == nil {
		return code
	}
	if err := writeBetween(env, b, *asJSON); err != nil {
		return env.Fail(err)
	}
	return code
}

// between reads the files twice: first the markers, then the records. Read errors are reported and
// set the exit code; the result is nil if nothing can be read.
func between(env *cli.Env, from, to string, files iter.Seq[string], code *int) (*trace.Between, error) {
	var markers, unpassed, counted []trace.Marker
	var sound []string
	for file := range files {
		t, err := trace.Open(file)
		if err != nil {
			*code = env.Fail(relative(env, err))
			continue
		}
		if t.Damaged {
			*code = cli.Failure
		}
		for _, warning := range t.Warnings {
			env.Warn(strings.TrimPrefix(warning, env.Dir+string(filepath.Separator)))
		}
		markers = append(markers, t.Markers...)
		unpassed, counted = append(unpassed, t.Unpassed...), append(counted, t.Counted...)
		sound = append(sound, file)
		if err := t.Close(); err != nil {
			return nil, err
		}
	}
	if len(sound) == 0 {
		return nil, nil
	}
	b := new(trace.Between)
	var err error
	if b.From, b.To, err = trace.Endpoints(from, to, markers); err != nil {
		if unknown := (*trace.UnknownMarkerError)(nil); errors.As(err, &unknown) {
			switch {
			case unknown.Among(unpassed):
				err = fmt.Errorf("%s: no scope of it is in the trace: it was not reached, or not collected", unknown.Name)
			case unknown.Among(counted):
				err = fmt.Errorf("%s: it is only counted, and traces have no scopes of such markers", unknown.Name)
			default:
				err = fmt.Errorf("%w%s", err, suggestion(unknown.Name, slices.Concat(markers, unpassed)))
			}
		}
		return nil, err
	}
	for _, file := range sound {
		t, err := trace.Open(file)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(b.Add(t), t.Close()); err != nil {
			*code = env.Fail(relative(env, err))
		}
	}
	for _, warning := range b.Warnings {
		env.Warn(strings.TrimPrefix(warning, env.Dir+string(filepath.Separator)))
	}
	return b, nil
}

// suggestion returns a hint for a misspelt name, or "" if no marker's name is similar.
func suggestion(name string, markers []trace.Marker) string {
	var names []string
	whole := map[string]string{}
	for _, m := range markers {
		short := m.Name[strings.LastIndexByte(m.Name, '/')+1:]
		_, last, _ := strings.Cut(short, ".")
		ends := []string{m.Name, short, last}
		for rest, more := last, true; more; { // the part after a colon is a name, too
			_, rest, more = strings.Cut(rest, ":")
			ends = append(ends, rest)
		}
		for _, n := range ends {
			if n != "" {
				names, whole[n] = append(names, n), m.Name
			}
		}
	}
	if near := spelling.Nearest(name, names); near != "" {
		return ", did you mean " + whole[near] + "?"
	}
	return "; markgen list prints the names"
}

type betweenJSON struct {
	From       string  `json:"from"`
	To         string  `json:"to"`
	Count      uint64  `json:"count"`
	MeanNS     float64 `json:"mean_ns"`
	StddevNS   float64 `json:"stddev_ns"`
	MinNS      float64 `json:"min_ns"`
	P50NS      float64 `json:"p50_ns"`
	P90NS      float64 `json:"p90_ns"`
	P99NS      float64 `json:"p99_ns"`
	MaxNS      float64 `json:"max_ns"`
	OverheadNS float64 `json:"overhead_ns"` // per pair
	Unpaired   uint64  `json:"unpaired"`
}

func writeBetween(env *cli.Env, b *trace.Between, asJSON bool) error {
	if !asJSON {
		var o report.Options
		o.Width, o.Color = env.Terminal(env.Stdout)
		return report.WriteBetween(env.Stdout, b, o)
	}
	line, err := json.Marshal(betweenJSON{
		From:       b.From.String(),
		To:         b.To.String(),
		Count:      b.Count,
		MeanNS:     b.MeanNS(),
		StddevNS:   b.StddevNS(),
		MinNS:      b.MinNS,
		P50NS:      b.QuantileNS(0.5),
		P90NS:      b.QuantileNS(0.9),
		P99NS:      b.QuantileNS(0.99),
		MaxNS:      b.MaxNS,
		OverheadNS: b.CostNS / float64(max(b.Count, 1)),
		Unpaired:   b.Unpaired,
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(env.Stdout, string(line)+"\n")
	return err
}

// findRuns returns the files that the arguments name, without duplicates. Missing ones are reported
// and set the exit code.
func findRuns(env *cli.Env, args []string, code *int) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, arg := range args {
			found, err := runfile.Find(env.Dir, arg)
			if err != nil && isolate.Unfinished(env.Path(arg)) {
				err = fmt.Errorf("%s: markgen isolate has no result there yet; give the same command, with -o %s, to go on from there", arg, shellWord(arg))
			}
			if err != nil {
				*code = env.Fail(relative(env, err))
				continue
			}
			for _, file := range found {
				real, _ := filepath.EvalSymlinks(file)
				if same := cmp.Or(real, file); !seen[same] {
					seen[same] = true
					if !yield(file) {
						return
					}
				}
			}
		}
	}
}
