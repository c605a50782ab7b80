package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// writeTable writes the cost of the APIs: a line for each, or for each group of its data; for a
// single API, also the sources of the data.
func (o *queryFlags) writeTable(ctx context.Context, env *cli.Env, w io.Writer, c *client.Client, found *found) error {
	t := costs{by: o.by, several: !found.one}
	for _, a := range found.list {
		by := fleet.Grouping(o.by)
		if found.one && by == fleet.NoGrouping {
			by = fleet.ByBuild
		}
		k, _, err := c.API(ctx, a.ID, o.Query, by)
		if err != nil {
			return err
		}
		if found.one {
			if err := o.writeHead(ctx, w, c, &k); err != nil {
				return err
			}
		}
		if k.Figures == nil {
			if found.one {
				return fmt.Errorf("there are no figures of %s that the flags choose; leave out one of them", k.Name)
			}
			continue
		}
		if o.by == "" {
			t.add(k.Name, "", 0, k.Figures)
			continue
		}
		for i := range k.Groups {
			g := &k.Groups[i]
			t.add(k.Name, g.Key, g.Runs, &g.Figures)
		}
	}
	if o.by == "" {
		slices.SortStableFunc(t.rows, func(a, b cost) int { return cmp.Compare(b.figures.TotalNS, a.figures.TotalNS) })
	}
	var options report.Options
	if o.out == "" {
		options.Width, options.Color = env.Terminal(w)
	}
	return report.WriteTable(w, t.columns(), options)
}

// writeHead writes information about an API other than its cost.
func (o *queryFlags) writeHead(ctx context.Context, w io.Writer, c *client.Client, k *client.Known) error {
	line := func(word, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-9s %s\n", word, report.Printable(text))
		}
	}
	place := ""
	if k.File != "" {
		place = ", " + profile.Place(k.File, k.Line)
	}
	line("api", fmt.Sprintf("%s (%s%s)", k.Name, k.Kind, place))
	line("known", fmt.Sprintf("since %s, last changed %s", k.First.UTC().Format(time.DateTime), k.Changed.UTC().Format(time.DateTime)))
	if k.Runs > 0 {
		line("runs", units.Count(k.Runs))
	}
	if o.by != "" {
		_, err := fmt.Fprintln(w)
		return err
	}
	var builds []string
	for _, g := range k.Groups {
		builds = append(builds, g.Key)
	}
	line("builds", shortList(builds))
	origins, err := c.Origins(ctx, o.Query)
	if err != nil {
		return err
	}
	var machines, versions []string
	for _, origin := range origins {
		if slices.Contains(builds, origin.Build) {
			machines = append(machines, strings.TrimSpace(strings.Join([]string{origin.GOOS + "/" + origin.GOARCH, origin.CPU}, " ")))
			versions = append(versions, origin.Go)
		}
	}
	line("go", shortList(versions))
	line("machines", shortList(machines))
	_, err = fmt.Fprintln(w)
	return err
}

// mostListed is the maximum number of words of a list that are shown.
const mostListed = 4

// shortList returns the distinct words, last first, limited to the last mostListed.
func shortList(words []string) string {
	var list []string
	for _, word := range slices.Backward(words) {
		if word != "" && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	if n := len(list); n > mostListed {
		return strings.Join(list[:mostListed], ", ") + fmt.Sprintf(", and %d others", n-mostListed)
	}
	return strings.Join(list, ", ")
}

// costs is a table of the cost of APIs.
type costs struct {
	by      string
	several bool
	alloc   bool
	rows    []cost
}

type cost struct {
	name, key string
	runs      uint64
	figures   *client.Figures
}

func (t *costs) add(name, key string, runs uint64, f *client.Figures) {
	t.alloc = t.alloc || f.Alloc != nil && f.Alloc.Scopes > 0
	t.rows = append(t.rows, cost{name, key, runs, f})
}

func (t *costs) columns() []report.Column {
	var list []report.Column
	add := func(c report.Column, cell func(*cost) string) {
		for i := range t.rows {
			c.Cells = append(c.Cells, cell(&t.rows[i]))
		}
		list = append(list, c)
	}
	timed := func(of func(*client.Figures) float64) func(*cost) string {
		return func(r *cost) string {
			if len(r.figures.Buckets) == 0 {
				return "-"
			}
			return units.Duration(of(r.figures))
		}
	}
	if t.several || t.by == "" {
		add(report.Column{Name: "name", Left: true, Shorten: true}, func(r *cost) string { return r.name })
	}
	if t.by != "" {
		add(report.Column{Name: t.by, Left: true}, func(r *cost) string { return r.key })
		add(report.Column{Name: "runs", Rank: 2}, func(r *cost) string { return units.Count(r.runs) })
	}
	add(report.Column{Name: "count"}, func(r *cost) string { return units.Count(r.figures.Count) })
	if slices.ContainsFunc(t.rows, func(r cost) bool { return r.figures.CountSE > 0 }) {
		add(report.Column{Name: "±", Rank: 7}, func(r *cost) string {
			return report.Relative(r.figures.CountSE, float64(r.figures.Count), r.figures.Sampled != "")
		})
	}
	add(report.Column{Name: "total", Rank: 5}, timed(func(f *client.Figures) float64 { return float64(f.TotalNS) }))
	add(report.Column{Name: "mean"}, timed(func(f *client.Figures) float64 { return f.MeanNS }))
	if slices.ContainsFunc(t.rows, func(r cost) bool { return r.figures.MeanSE > 0 }) {
		add(report.Column{Name: "±", Rank: 7}, func(r *cost) string {
			return report.Relative(r.figures.MeanSE, r.figures.MeanNS, r.figures.MeanSE > 0)
		})
	}
	add(report.Column{Name: "p50"}, timed(func(f *client.Figures) float64 { return f.P50NS }))
	add(report.Column{Name: "p90", Rank: 3}, timed(func(f *client.Figures) float64 { return f.P90NS }))
	add(report.Column{Name: "p99", Rank: 4}, timed(func(f *client.Figures) float64 { return f.P99NS }))
	add(report.Column{Name: "max", Rank: 1}, timed(func(f *client.Figures) float64 { return float64(f.MaxNS) }))
	if t.alloc {
		per := func(of func(*client.Alloc) float64) func(*cost) string {
			return func(r *cost) string {
				if r.figures.Alloc == nil {
					return "-"
				}
				return fmt.Sprintf("%.4g", of(r.figures.Alloc))
			}
		}
		add(report.Column{Name: "B/op", Rank: 5}, per(func(a *client.Alloc) float64 { return a.Bytes.Mean }))
		add(report.Column{Name: "allocs/op", Rank: 6}, per(func(a *client.Alloc) float64 { return a.Objects.Mean }))
	}
	return list
}
