package main

import (
	"context"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
)

var cmdRun = &cli.Command{
	Name:  "run",
	Short: "go run, with markers collecting, and a report at the end",
	Long: `
usage: markgen run [own flags] [go build's flags] package|files.go… [arguments]

Run builds a program with markers compiled in, as markgen build does, and runs it with its arguments and
with collection on. Standard input, output and error are the program's; its exit code is passed on, 128+n
if signal n ended it. A report follows on standard error, however the program ended.

Markgen's own flags come first:
` + ownFlagsText + leaveText + ownDataText + ownRunsText + ownOldText + `

With -runs every run has the same standard input. With -old both programs run in this directory, whichever
version of the module they were built from.

Go's flags follow. Other keys of MARKGEN than file and report apply; the default of collect is time.

examples:
  markgen run ./cmd/demo -n 10
  markgen run -all -sort total -top 20 .
  markgen run -all -o demo.markgen -report none . <input
  MARKGEN='only=*.parse*' markgen run -all main.go
  markgen run -all -runs 10 -o perf -old v1.2.0 ./cmd/demo -n 10`,
	Run: runRun,
}

func runRun(ctx context.Context, env *cli.Env, args []string) int {
	interrupt.IgnoreSIGPIPE()
	own, args, code, done := parseOwn(env, args, true, true)
	if done {
		return code
	}
	if own.repeats() {
		return repeatProgram(ctx, env, own, args)
	}
	build, code := prepare(ctx, env, "run", own, args)
	if build == nil {
		return code
	}
	data, err := collectRun(env, own)
	if err != nil {
		return env.Fail(err)
	}
	defer data.Close()
	data.unmarked = own.unmarked(build)
	work, err := build.WorkDir()
	if err != nil {
		return env.Fail(err)
	}
	defer work.Close()
	program, code, err := build.Program(ctx, work.Path)
	if err != nil {
		return failGo(env, err)
	}
	if program == "" {
		return code
	}
	code, err = build.RunProgram(ctx, program, data.Collection)
	if err != nil {
		return max(code, env.Fail(err))
	}
	return data.finish(code)
}
