package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
)

var cmdMerge = &cli.Command{
	Name:  "merge",
	Short: "add runs up into one file, exactly",
	Long: `
usage: markgen merge -o FILE [-known FILE] DATA…

Merge adds the runs in data files up, marker by marker, and writes their sum into one file, which report, diff
and merge itself read as they read runs. Each DATA is a file, a folder with data files, or a pattern such as
'run*.markgen'; a file that is named twice counts once. All figures are whole numbers, so that nothing is lost
and the order of merging does not matter. Names and places of markers are those
of the newest run that has them. The records of a trace are not in the sum: markgen between reads them in the
data files of the runs.

  -o FILE  write to FILE, which is replaced as a whole or stays as it was; anything but a data file is kept.
           If it is named as DATA as well, the runs are added to it
  -known FILE  for MARKGEN=collect=wild,known=FILE: write to FILE in how many runs each function was measured; and
           which functions share stacks, where runs recorded that (MARKGEN=pairs); what FILE says of the latter is kept

Any number of files can be merged. A file that can't be read, is cut off or of another version is named and left
out; the exit code is then 1.

examples:
  markgen merge -o all.markgen runs/
  markgen merge -o all.markgen all.markgen today/
  markgen report all.markgen`,
	Run: runMerge,
}

func runMerge(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	out := fs.String("o", "", "")
	known := fs.String("known", "", "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	switch {
	case *out == "":
		return env.Wrong("no file to write is given; name one with -o")
	case fs.NArg() == 0:
		return env.Wrong("no data file is given")
	case isOther(env, *out):
		return env.Fail(fmt.Errorf("%s is there and is no data file; remove it, or name another file with -o", *out))
	}
	code := cli.OK
	files := slices.Collect(findRuns(env, fs.Args(), &code))
	if arg := readToo(env, *out, fs.Args()); arg != "" {
		return env.Fail(fmt.Errorf("%s would be among the data of %s, and be counted twice from then on; write elsewhere, or name the data files one by one", *out, arg))
	}
	p, readCode := addUp(env, files)
	if code = max(code, readCode); p == nil {
		return code
	}
	if p.Damaged {
		code = cli.Failure
	}
	for _, warning := range p.Warnings {
		env.Warn(warning)
	}
	if p.Trace != nil && p.Trace.Records > 0 && tracedItself(env, *out, files) {
		return env.Fail(fmt.Errorf("%s has a trace, which would be lost: what is added up has none; write elsewhere", *out))
	}
	if p.Trace != nil && p.Trace.Records > 0 {
		env.Warn(fmt.Sprintf("%d records of traces stay in the data files of the runs, and are not in %s", p.Trace.Records, *out))
	}
	file, err := codec.Encode(p)
	if err == nil {
		err = env.Put(ctx, *out, file)
	}
	if err == nil && *known != "" {
		err = writeKnown(ctx, env, *known, p)
	}
	if err != nil {
		return env.Fail(err)
	}
	return code
}

// writeKnown writes the file for MARKGEN's key known, from the runs in p, and keeps other
// information in the file.
func writeKnown(ctx context.Context, env *cli.Env, file string, p *profile.Profile) error {
	text, err := fileread.Named(env.Path(file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known, err := profile.ParseKnown(text)
	if err != nil {
		return fmt.Errorf("%s: %w; give a file that merge -known wrote, or that there is not yet", file, err)
	}
	known.Runs = nil
	known.Measured(p)
	return env.Put(ctx, file, known.Bytes())
}

// tracedItself reports whether the output file is also one of the inputs, and has a trace.
func tracedItself(env *cli.Env, out string, files []string) bool {
	path := env.Path(out)
	written, err := os.Stat(path)
	if err != nil || !slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && os.SameFile(info, written)
	}) {
		return false
	}
	p, err := runfile.Read(path)
	return err == nil && p.Trace != nil && p.Trace.Records > 0
}

// readToo returns the folder or pattern among the arguments that the output file would be part of,
// so that whoever reads it afterwards counts its runs twice; otherwise "".
func readToo(env *cli.Env, out string, args []string) string {
	path := env.Path(out)
	real := func(dir string) string {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return resolved
		}
		return dir
	}
	if slices.ContainsFunc(args, func(arg string) bool { return env.Path(arg) == path }) {
		return "" // it is to be added to
	}
	for _, arg := range args {
		given := env.Path(arg)
		if env.IsFolder(arg) && real(given) == real(filepath.Dir(path)) {
			return arg
		}
		if ok, err := filepath.Match(given, path); ok && err == nil && !env.IsFolder(arg) {
			return arg
		}
	}
	return ""
}
