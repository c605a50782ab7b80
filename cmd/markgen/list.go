package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
)

var cmdList = &cli.Command{
	Name:  "list",
	Short: "the markers: ID, kind, name, place, live or retired",
	Long: `
usage: markgen list [-all] [-json] [-v] [-config F] [-form NAME] [-min N] [-budget P -from DATA] [packages]

List prints the markers of the packages, by default of the one in the current directory: those that
directives ask for and, with -all, every function, loop and branch. The IDs are those that a build has
now. Where markgen -all has put markers into the source, those are listed, too. Markers that are in the
registry and no longer in the source come last, as retired.

  -all       every function, loop and branch outside of test files, as .markgen.yaml narrows it
  -config F  read F instead of the .markgen.yaml at the module root
  -form NAME with -v: the form of each with build -form NAME
  -min N, -budget P and -from DATA
             as of markgen build: what a build leaves out has the state left-out, with -v the reason, and in
             JSON that as "left_out"
  -json      an array of {"id","name","kind","file","line","col","form","live"};
             file is relative to the module root, and "" for a retired marker
  -v         also the form of each in an overlay build, and the reason

examples:
  markgen list ./...
  markgen list -all -v ./parse
  markgen list -json ./... | jq -r '.[] | select(.live) | .name'`,
	Run: runList,
}

func runList(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	var (
		all     = fs.Bool("all", false, "")
		asJSON  = fs.Bool("json", false, "")
		verbose = fs.Bool("v", false, "")
		file    = fs.String("config", "", "")
		form    = fs.String("form", "", "")
		leave   leaveFlags
	)
	leave.add(fs)
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if !knownForm(*form) {
		return env.Wrong("-form %s: the forms are %s", *form, strings.Join(rewrite.Forms, ", "))
	}
	if code, done := leave.read(env); done {
		return code
	}
	load := loadOptions{Patterns: fs.Args(), All: *all, Config: *file, Form: *form, Foreign: true, Leave: leave}
	list, planted, err := listMarkers(ctx, env, load)
	if err == nil && !*all && planted && slices.ContainsFunc(list, func(l listed) bool { return !l.Live }) {
		load.All = true
		var every []listed
		if every, _, err = listMarkers(ctx, env, load); err == nil {
			list = plantedAmong(every, list)
		}
	}
	if err == nil && leave.budget != nil {
		err = leave.budget.check(packagesOf(list))
	}
	if err != nil {
		return env.Fail(err)
	}
	// Retired markers come last, including those of the first module of a workspace.
	slices.SortStableFunc(list, func(a, b listed) int {
		switch {
		case a.Live == b.Live:
			return 0
		case a.Live:
			return -1
		}
		return 1
	})
	if *asJSON {
		err = writeListJSON(env.Stdout, list)
	} else {
		err = writeListText(env, list, *verbose)
	}
	if err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// listMarkers lists the markers of the packages. planted reports whether source of any of these has
// been marked in place.
func listMarkers(ctx context.Context, env *cli.Env, o loadOptions) (list []listed, planted bool, err error) {
	modules, err := loadModules(ctx, env, o)
	if err != nil {
		return nil, false, err
	}
	list = []listed{}
	for _, m := range modules {
		list = append(list, m.markers(env)...)
		for _, p := range m.Packages {
			planted = planted || hasTable(p.Dir)
		}
	}
	return list, planted, nil
}

// hasTable reports whether a directory has a table of the markers in its source.
func hasTable(dir string) bool {
	tables, _ := tablesIn(dir) // unreadable tables are ignored
	return len(tables) > 0
}

// plantedAmong returns the markers that directives ask for and, of the others, which are listed as
// retired, those in source that was marked with -all. every is the list with -all, whose order is
// kept. Markers of other platforms are missing.
func plantedAmong(every, asked []listed) (list []listed) {
	wanted := map[registry.ID]*listed{}
	for i := range asked {
		wanted[asked[i].ID] = &asked[i]
	}
	for _, l := range every {
		as := wanted[l.ID]
		switch {
		case as == nil:
			continue
		case as.Live || !l.planted:
			l = *as
		}
		list = append(list, l)
	}
	return list
}

// A listed is a marker in the format of list -json.
type listed struct {
	ID   registry.ID `json:"id"`
	Name string      `json:"name"`
	Kind string      `json:"kind"`
	File string      `json:"file"` // relative to the module root, slash-separated; "" for a retired marker
	Line int         `json:"line"`
	Col  int         `json:"col"`
	Form string      `json:"form"`
	Live bool        `json:"live"`
	Left string      `json:"left_out,omitempty"` // why a build leaves it out

	pkg        string // import path
	why, place string
	planted    bool // its package was marked in place
}

// markers returns the module's markers in the order of its packages and of the source, then the
// retired ones.
func (m *module) markers(env *cli.Env) []listed {
	var list []listed
	live := map[registry.ID]bool{}
	for _, u := range m.Units {
		planted := hasTable(u.Package.Dir)
		points := slices.Clone(u.Points)
		slices.SortStableFunc(points, byPlace)
		for _, p := range points {
			live[p.ID] = true
			list = append(list, listed{
				ID: p.ID, pkg: p.Package, Name: p.Name, Kind: p.Kind, File: m.file(u, p), Line: p.Pos.Line, Col: p.Pos.Column,
				Form: p.Form, Live: true, Left: p.Left, why: p.Why, place: p.Pos.String(), planted: planted,
			})
		}
	}
	for _, e := range m.After.Entries() {
		if e.Retired && !live[e.ID] && m.named(env, e.Package) {
			list = append(list, listed{ID: e.ID, Name: e.Name(), Kind: e.Kind})
		}
	}
	return list
}

// packagesOf returns the import paths of live markers.
func packagesOf(list []listed) (paths []string) {
	for _, l := range list {
		if l.Live {
			paths = append(paths, l.pkg)
		}
	}
	return paths
}

// byPlace orders points of one unit by their position in the source.
func byPlace(a, b *rewrite.Point) int {
	if a.Pos.Filename != b.Pos.Filename {
		return 0 // the files are already in order
	}
	return a.Pos.Offset - b.Pos.Offset
}

// file returns the file of a point relative to the module root.
func (m *module) file(u *unit, p *rewrite.Point) string {
	path := filepath.Join(u.Package.Dir, filepath.Base(p.Pos.Filename))
	if rel, err := filepath.Rel(m.Base, path); err == nil && m.Base != "" {
		path = rel
	}
	return filepath.ToSlash(path)
}

func writeListJSON(w io.Writer, list []listed) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

func writeListText(env *cli.Env, list []listed, verbose bool) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(env.Stderr, "markgen list: no markers; put //perf:mark above a function or loop, pass -all, or name other packages, such as ./...")
		return err
	}
	tab := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	head := "ID\tSTATE\tKIND\tPLACE\tNAME"
	if verbose {
		head += "\tFORM\tWHY"
	}
	fmt.Fprintln(tab, head)
	for _, l := range list {
		state, place := "live", l.place
		switch {
		case !l.Live:
			state, place = "retired", "-"
		case l.Left != "":
			state, l.Form, l.why = "left-out", "-", l.Left
		}
		fmt.Fprintf(tab, "%v\t%s\t%s\t%s\t%s", l.ID, state, l.Kind, place, l.Name)
		if verbose && l.Live {
			fmt.Fprintf(tab, "\t%s\t%s", l.Form, l.why)
		}
		fmt.Fprintln(tab)
	}
	return tab.Flush()
}
