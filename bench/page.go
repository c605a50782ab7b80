package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/filewrite"
)

// The lines around the table in a page.
const (
	pageBegin = "<!-- make bench writes from here -->\n"
	pageEnd   = "<!-- to here -->\n"
)

// updatePage writes the figures that have a bar to the table of a page, whose rows are in the order of
// subjects. Each replaces the row with its name. Rows measured on another machine, system or release
// of Go are dropped.
func updatePage(ctx context.Context, name, version string, now time.Time, figures []figure) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), pageBegin)
	old, tail, ok2 := strings.Cut(rest, pageEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s: there is no table to write to; it stands between the lines %q and %q", name, pageBegin, pageEnd)
	}
	return filewrite.Write(ctx, name, []byte(head+pageBegin+pageTable(old, version, now, figures)+pageEnd+tail))
}

// pageTable returns the table old, updated with the figures.
func pageTable(old, version string, now time.Time, figures []figure) string {
	title := fmt.Sprintf("Machine: %s, %d processors, %s/%s, %s. Command, in the folder `bench`: `go run . -page "+
		"../docs/explanation/performance.md -run SUBJECT`; SUBJECT is the word before the colon.\n\n",
		processor(), cores(), runtime.GOOS, runtime.GOARCH, version)
	const columns = "figure|bar|median|spread|met|date\n---|---|---|---|---|---\n"
	var rows []string
	if kept, ok := strings.CutPrefix(old, title+columns); ok {
		rows = slices.Collect(strings.Lines(kept))
	}
	for _, f := range figures {
		if f.bar.limit == 0 {
			continue
		}
		start := f.name + "|"
		row := fmt.Sprintf("%s%s|%s|%s|%s|%s\n", start, f.bar, f.median(), f.spread(), f.met(), now.Format(time.DateOnly))
		if i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, start) }); i >= 0 {
			rows[i] = row
		} else {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b string) int { return subjectIndex(a) - subjectIndex(b) })
	return title + columns + strings.Join(rows, "")
}

// subjectIndex returns the index in subjects of the one that a row begins with, or -1.
func subjectIndex(row string) int {
	name, _, _ := strings.Cut(row, ":")
	return slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })
}
