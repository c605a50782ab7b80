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

// reportRuns writes a report in which runs are not added up: that of each data file
// after that of the one before, of which none is kept.
func reportRuns(ctx context.Context, env *cli.Env, data dataArgs, out string, o report.Options) int {
	code := cli.OK
	files := slices.Collect(findRuns(env, data.now, &code))
	progress := func(int, int) {}
	if out != "" { // else the lines would be among those of the report
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

// errNoRuns is that there is nothing to write, and was said.
var errNoRuns = errors.New("no run could be read")
