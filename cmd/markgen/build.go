package main

import (
	"context"

	"github.com/markgen/markgen/internal/cli"
)

var cmdBuild = &cli.Command{
	Name:  "build",
	Short: "go build, with markers compiled in",
	Long: `
usage: markgen build [own flags] [go build's flags] [packages]

Build does what go build does, with markers in the packages. The compiler reads marked copies of the files
(go's -overlay): no file of yours changes, and messages and stack traces show your files. The program is inert
until MARKGEN tells it to collect: see markgen help run, or MARKGEN=collect=time,report=stderr ./program.

Markgen's own flags come first:
` + ownFlagsText + leaveText + `
  -dual         build two programs: PROG is the plain one, as go build makes it, and PROG.marked the one with
                markers. Keep them in one directory and start PROG: it becomes PROG.marked (same process ID,
                arguments, environment and open files) if MARKGEN is set then, and otherwise has no marker that
                could cost time. It can't be switched while it runs. On Linux, macOS and BSD

Go's flags follow, -o included, with their usual meaning. An -overlay of yours is merged with
markgen's. With -cover, the blocks of go build -cover are counted, in the data of the run.
Marked source is cached in MARKGENCACHE (default: markgen in the user's cache directory,
or in GOCACHE where that cannot be written to).

examples:
  markgen build ./cmd/demo
  markgen build -all -o demo ./cmd/demo
  markgen build -all -dual -o demo ./cmd/demo && MARKGEN=file=demo.markgen ./demo
  markgen build -all -markpkg ./...,strconv -race -tags integration -o demo ./cmd/demo`,
	Run: runBuild,
}

func runBuild(ctx context.Context, env *cli.Env, args []string) int {
	own, args, code, done := parseOwn(env, args, false, true)
	if done {
		return code
	}
	build, code := prepare(ctx, env, "build", own, args)
	if build == nil {
		return code
	}
	program := build.Go
	if own.dual {
		program = build.Dual
	}
	code, err := program(ctx)
	if err != nil {
		return failGo(env, err)
	}
	if code == cli.OK {
		note(env, own.unmarked(build))
	}
	return code
}
