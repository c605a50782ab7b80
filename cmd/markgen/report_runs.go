package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
)

// reportRuns writes a report in which runs are not added up: that of each data file
// after that of the one before, of which none is kept.
func reportRuns(env *Env, args []string, out string, o report.Options) int {
	code := exitOK
	runs := 0
	write := func(w io.Writer) error {
		for file := range findRuns(env, args, &code) {
			p, err := profile.ReadFile(file)
			if err != nil {
				code = env.fail(relative(env, err))
				continue
			}
			if runs++; runs > 1 {
				fmt.Fprintln(w)
			}
			shortWarnings(env, p)
			for _, caution := range p.Cautions() {
				env.warn(caution)
			}
			if p.Damaged {
				code = exitFailure
			}
			if err := report.Write(w, p, o); err != nil {
				return err
			}
		}
		return nil
	}
	if out == "" {
		if err := write(env.Stdout); err != nil {
			return env.fail(err)
		}
		return code
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return env.fail(err)
	}
	if runs == 0 { // which was said
		return code
	}
	if err := writeWhole(env.Path(out), text.Bytes()); err != nil {
		return env.fail(err)
	}
	return code
}
