package main

import (
	"context"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
)

var cmdTest = &cli.Command{
	Name:  "test",
	Short: "go test, with markers collecting, and a report at the end",
	Long: `
usage: markgen test [own flags] [go test's flags] [packages] [flags and arguments for the test binary]

Test does what go test does, with markers compiled into the packages and their tests, and with collection on.
A report over all test binaries follows on standard error. The exit code is go test's. With -c the test
binary is only built.

Markgen's own flags come first:
` + ownFlagsText + leaveText + ownDataText + ownRunsText + ownOldText + `

Go's flags follow, before or after the packages as with go test. What differs from go test:
  - results are not cached (-count=1 unless -count is given): a cached result comes without data;
  - vet checks the unmarked source, before the tests are built;
  - markgen implements -cover, -covermode, -coverpkg and -coverprofile, since go drops overlays with
    -cover. Output and profile are as go's; with -coverpkg the profile has each block once, with the sum
    over all test binaries, and the blocks are sorted;
  - marked tests take longer, with -all and tiny functions ten times as long: where go's 10 minutes for a test
    binary are not enough, give -timeout;
  - with -runs, go test builds and runs the tests once, and their binaries run again without it, one at a time
    unless -p is given: side by side they would slow each other down.

examples:
  markgen test ./...
  markgen test -all -o test.markgen -run TestParse -v ./parse
  markgen test -all -coverprofile cover.out ./...
  markgen test -all -runs 10 -o perf -old origin/main -run '^$' -bench . ./... && markgen diff perf/old -- perf/new`,
	Run: runTest,
}

func runTest(ctx context.Context, env *cli.Env, args []string) int {
	interrupt.IgnoreSIGPIPE()
	own, args, code, done := parseOwn(env, args, true, true)
	if done {
		return code
	}
	if own.repeats() {
		return repeatTests(ctx, env, own, args)
	}
	if own.out != "" && overlay.OnlyBuilds(args) {
		args, own.out = overlay.AddFlags(args, "-o="+own.out), "" // -o is the binary: there will be no data
	}
	build, code := prepare(ctx, env, "test", own, args)
	if build == nil {
		return code
	}
	if overlay.OnlyBuilds(args) {
		code, err := build.Test(ctx, nil)
		if err != nil {
			return max(code, failGo(env, err))
		}
		if code == cli.OK {
			note(env, own.unmarked(build))
		}
		return code
	}
	data, err := collectRun(env, own)
	if err != nil {
		return env.Fail(err)
	}
	defer data.Close()
	data.unmarked = own.unmarked(build)
	code, err = build.Test(ctx, data.Collection)
	if err != nil {
		return max(code, failGo(env, err))
	}
	if code != cli.OK {
		sayTimedOut(env, build, data.Collection)
	}
	return data.finish(code)
}
