package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/report"
)

// reportTrace writes the records of the data that the arguments name, file by file, since they may
// not fit into memory. Read errors are reported and set the exit code to that of a failure.
func reportTrace(ctx context.Context, env *cli.Env, args []string, out string) int {
	code := cli.OK
	files, heads := tracedFiles(env, args, &code)
	if len(files) == 0 {
		return code
	}
	var warnings []string
	for i := range heads {
		for _, warning := range heads[i].Cautions() {
			warning = strings.TrimPrefix(warning, env.Dir+string(filepath.Separator))
			if !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
		}
		if heads[i].Damaged {
			code = cli.Failure
		}
	}
	for _, warning := range warnings {
		env.Warn(warning)
	}
	if large := report.LargeTimeline(heads); large != "" {
		env.Warn(large)
	}
	places := newPlacer(env, "")
	write := func(w io.Writer) error {
		t := report.NewTraceWriter(w, heads, warnings)
		for i, file := range files {
			trace, err := trace.Open(file)
			if err == nil {
				places.placeTrace(trace)
				err = errors.Join(t.Add(i, trace), trace.Close())
			}
			if t.Err() != nil {
				return t.Err()
			}
			if err != nil {
				code = env.Fail(relative(env, err))
			}
		}
		return t.Close()
	}
	if err := env.Stream(ctx, out, write); err != nil {
		return env.Fail(err)
	}
	return code
}

// tracedFiles returns the files with a trace, in the order in which their runs started, and the
// head of each.
func tracedFiles(env *cli.Env, args []string, code *int) (files []string, heads []trace.Head) {
	type traced struct {
		file string
		head trace.Head
	}
	var list []traced
	for file := range findRuns(env, args, code) {
		t, err := trace.Open(file)
		if err == nil {
			err = t.Close()
		}
		if err != nil {
			*code = env.Fail(relative(env, err))
			continue
		}
		list = append(list, traced{file, t.Head})
	}
	slices.SortStableFunc(list, func(a, b traced) int { return a.head.Start.Compare(b.head.Start) })
	for _, t := range list {
		files, heads = append(files, t.file), append(heads, t.head)
	}
	return files, heads
}
