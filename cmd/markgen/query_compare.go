package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// compareBuilds writes the differences between two builds: of the APIs that match name, or of all
// if it is "". The exit code is that of a finding if one got slower.
func (o *queryFlags) compareBuilds(ctx context.Context, env *cli.Env, c *client.Client, name string) (code int, err error) {
	old, new, ok := strings.Cut(o.compare, ",")
	if !ok || old == "" || new == "" || strings.Contains(new, ",") {
		return env.Wrong("-compare is %q; give two builds with a comma between them", o.compare), nil
	}
	q := o.Query
	only := map[string]bool{}
	if name != "" {
		q.Limit = mostFound
		found, err := findAPIs(ctx, c, name, q)
		if err != nil {
			return cli.Failure, err
		}
		for _, a := range found.list {
			only[a.ID] = true
		}
		if found.one {
			q.Package, q.Function = literal(found.list[0].Package), literal(found.list[0].Function)
		}
		if n := len(found.list); n < found.total {
			defer env.Warn(fmt.Sprintf("%d of %s are compared; give more of the name", n, found.of()))
		}
	}
	q.Limit = 10_000
	r, raw, err := c.Compare(ctx, old, new, q)
	if err != nil {
		return cli.Failure, err
	}
	rows := r.APIs
	if name != "" {
		rows = slices.DeleteFunc(rows, func(a client.Change) bool { return !only[a.ID] })
		r.Slower, r.Faster = verdicts(rows)
	}
	if r.Slower > 0 {
		code = cli.Finding
	}
	if o.format == "json" {
		if name != "" {
			if raw, err = ofThese(raw, only, r.Slower, r.Faster); err != nil {
				return cli.Failure, err
			}
		}
		return code, env.Stream(ctx, o.out, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(raw)
		})
	}
	if name == "" {
		rows = slices.DeleteFunc(rows, func(a client.Change) bool { return a.Verdict != "slower" && a.Verdict != "faster" })
	}
	left := max(r.Slower+r.Faster, len(rows)) - o.Limit
	rows = rows[:min(o.Limit, len(rows))]
	var options report.Options
	if o.out == "" {
		options.Width, options.Color = env.Terminal(env.Stdout)
	}
	return code, env.Stream(ctx, o.out, func(w io.Writer) error {
		fmt.Fprintf(w, "old       %s, %s, %s\n", report.Printable(r.Old.Build), units.Plural(r.Old.Runs, "run"), units.Plural(r.Old.APIs, "API"))
		fmt.Fprintf(w, "new       %s, %s, %s\n\n", report.Printable(r.New.Build), units.Plural(r.New.Runs, "run"), units.Plural(r.New.APIs, "API"))
		if len(rows) > 0 {
			if err := report.WriteTable(w, changes(rows), options); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		if left > 0 {
			fmt.Fprintf(w, "%s not shown; -limit shows more\n", units.Plural(left, "change"))
		}
		if name == "" {
			fmt.Fprintf(w, "%s compared: %d slower, %d faster; %d only in the old build, %d only in the new one\n",
				units.Plural(r.APIsTotal, "API"), r.Slower, r.Faster, r.OnlyOldTotal, r.OnlyNewTotal)
		} else if len(rows) == 0 {
			fmt.Fprintln(w, "not in both builds, or without times")
		}
		for _, caution := range r.Cautions {
			fmt.Fprintf(w, "warning: %s\n", report.Printable(caution))
		}
		return nil
	})
}

// literal returns a pattern for a text that may contain the * of a receiver.
func literal(text string) string { return strings.ReplaceAll(text, "*", "?") }

func verdicts(rows []client.Change) (slower, faster int) {
	for _, a := range rows {
		switch a.Verdict {
		case "slower":
			slower++
		case "faster":
			faster++
		}
	}
	return slower, faster
}

// ofThese returns the server's comparison restricted to some APIs.
func ofThese(raw json.RawMessage, only map[string]bool, slower, faster int) (json.RawMessage, error) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	put := func(name string, v any) error {
		text, err := json.Marshal(v)
		answer[name] = text
		return err
	}
	for _, name := range []string{"apis", "only_old", "only_new"} {
		var list []json.RawMessage
		if err := json.Unmarshal(answer[name], &list); err != nil {
			return nil, err
		}
		kept := []json.RawMessage{}
		for _, one := range list {
			var a struct{ ID string }
			if err := json.Unmarshal(one, &a); err != nil {
				return nil, err
			}
			if only[a.ID] {
				kept = append(kept, one)
			}
		}
		if err := errors.Join(put(name, kept), put(name+"_total", len(kept))); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(put("slower", slower), put("faster", faster)); err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func changes(rows []client.Change) []report.Column {
	var list []report.Column
	add := func(c report.Column, cell func(*client.Change) string) {
		for i := range rows {
			c.Cells = append(c.Cells, cell(&rows[i]))
		}
		list = append(list, c)
	}
	percent := func(f float64) string { return fmt.Sprintf("%+.1f%%", 100*f) }
	add(report.Column{Name: "name", Left: true, Shorten: true}, func(a *client.Change) string { return a.Name })
	add(report.Column{Name: "", Left: true}, func(a *client.Change) string { return a.Verdict })
	add(report.Column{Name: "old mean"}, func(a *client.Change) string { return units.Duration(a.Old.MeanNS) })
	add(report.Column{Name: "new mean"}, func(a *client.Change) string { return units.Duration(a.New.MeanNS) })
	add(report.Column{Name: "change"}, func(a *client.Change) string { return percent(a.Change) })
	add(report.Column{Name: "95 %", Rank: 1}, func(a *client.Change) string {
		if a.Lo == nil || a.Hi == nil {
			return "-"
		}
		return percent(*a.Lo) + " … " + percent(*a.Hi)
	})
	add(report.Column{Name: "p", Rank: 2}, func(a *client.Change) string {
		if a.Adjusted == nil {
			return "-"
		}
		return fmt.Sprintf("%.2g", *a.Adjusted)
	})
	add(report.Column{Name: "old count", Rank: 3}, func(a *client.Change) string { return units.Count(a.Old.Count) })
	add(report.Column{Name: "new count", Rank: 4}, func(a *client.Change) string { return units.Count(a.New.Count) })
	return list
}
