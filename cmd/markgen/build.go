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

Build does what go build does, for the packages with markers in them. The markers are put into copies that
the compiler is given in the place of the files; no file of yours is touched, and messages and stack traces
show your files. The program is inert until MARKGEN tells it to collect: see markgen help run, or
MARKGEN=collect=time,report=stderr ./program.

Markgen's own flags come first:
` + ownFlagsText + `

Go's flags follow and mean what they mean to go build, -o too. An -overlay of yours is merged with
markgen's. With -cover, the blocks that go would count are counted into the data of the run.
What is marked is kept in MARKGENCACHE (default: markgen in the user's cache directory,
or in GOCACHE where that cannot be written to).

examples:
  markgen build ./cmd/demo
  markgen build -all -o demo ./cmd/demo
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
	code, err := build.Go(ctx)
	if err != nil {
		return failGo(env, err)
	}
	if code == cli.OK {
		note(env, own.unmarked(build))
	}
	return code
}
