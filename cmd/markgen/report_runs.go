package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
)

// reportRuns writes a report with runs that are not merged: one data file after another, of which
// only one is in memory.
func reportRuns(ctx context.Context, env *cli.Env, data dataArgs, out string, o report.Options) int {
	code := cli.OK
	files := slices.Collect(findRuns(env, data.now, &code))
	progress := func(int, int) {}
	if out != "" { // otherwise it would be mixed with the report's lines
		progress = showProgress(env, "reading", "files")
	}
	runs := 0
	write := func(w io.Writer) error {
		for i, file := range files {
			progress(i, len(files))
			p, err := runfile.Read(file)
			if err != nil {
				code = env.Fail(relative(env, err))
				continue
			}
			if runs++; runs > 1 {
				fmt.Fprintln(w)
			}
			shortWarnings(env, p)
			p = data.shown(env, p)
			for _, caution := range p.Cautions() {
				env.Warn(caution)
			}
			if p.Damaged {
				code = cli.Failure
			}
			if err := report.Write(w, p, o); err != nil {
				return err
			}
		}
		progress(len(files), len(files))
		if runs == 0 {
			return errNoRuns
		}
		return nil
	}
	if err := env.Stream(ctx, out, write); err != nil && !errors.Is(err, errNoRuns) {
		return env.Fail(err)
	}
	return code
}

// errNoRuns means that there is nothing to write; the reason was reported.
var errNoRuns = errors.New("no run could be read")
