package main

import (
	"context"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
)

var cmdExec = &cli.Command{
	Name:  "exec",
	Short: "run an already marked program with collection on, and a report at the end",
	Long: `
usage: markgen exec [own flags] COMMAND [arguments]

Exec runs a command with collection on: a marked program, or anything that starts marked programs, such as a
script or make. Standard input, output and error are the command's; its exit code is passed on, 128+n if
signal n ended it. A report over all marked processes follows on standard error.

Markgen's own flags come first:
` + ownDataText + ownRunsText + `
  -old PROGRAM  with -runs: alternate with runs of another program with the same arguments. The data go to the
                folders old and new in the folder -o

Other keys of MARKGEN than file and report apply; the default of collect is time.

examples:
  markgen exec ./demo -n 10
  MARKGEN=collect=io markgen exec ./demo -n 10
  markgen exec -o 'data/%a.%p.markgen' -report none make bench
  markgen exec -runs 10 -o perf -old ./demo-v1 ./demo -n 10 && markgen diff perf/old -- perf/new`,
	Run: runExec,
}

func runExec(ctx context.Context, env *cli.Env, args []string) int {
	interrupt.IgnoreSIGPIPE()
	own, args, code, done := parseOwn(env, args, true, false)
	if done {
		return code
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		return env.Wrong("unknown flag %s", args[0])
	}
	if len(args) == 0 {
		return env.Wrong("no command is given")
	}
	if own.repeats() {
		return repeatCommand(ctx, env, own, args)
	}
	data, err := collectRun(env, own)
	if err != nil {
		return env.Fail(err)
	}
	defer data.Close()
	code, data.exited, err = overlay.ExecProcess(ctx, args, env.Dir, data.Environ(env.Environ), env.Stdin, env.Stdout, env.Stderr)
	if err != nil {
		env.Fail(err)
		return code
	}
	data.code = code
	return data.finish(code)
}
