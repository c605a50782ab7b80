package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/top"
)

var cmdTop = &cli.Command{
	Name:  "top",
	Short: "watch a running program live, and steer it with keys",
	Long: `
usage: markgen top [-interval D] [-sort K] [-filter F] [-paths] [-once] [TARGET]

Top shows for each marker of a running program scopes a second, share of the time, mean, percentiles and the
distribution of times, of the last interval or since the start. Keys pause, resume, sample and turn markers on
and off, as markgen ctl does; ? lists them, q quits, and the program goes on. TARGET is the ID of the process
or its data file. Without one the processes are listed that may be one (on Linux); the exit code is 1 when
there is none.

  -interval D  time between two readings (default 1s)
  -sort K      ` + strings.Join(top.Sorts(), ", ") + `; all but name begin with the largest
  -filter F    only markers whose names contain F or, with *, match it (* is any text)
  -paths       show the tree of call paths, where they are recorded; c changes between it and the table
  -once        write one table of one interval, and exit; the default if the output is no terminal

When the program ends, top says so and keeps the last figures. NO_COLOR is respected.

examples:
  markgen top 4711
  markgen top -sort p99 -filter parse demo.4711.markgen
  markgen top -once -interval 10s 4711 >now.txt`,
	Run: runTop,
}

func runTop(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	var o top.Options
	fs.DurationVar(&o.Interval, "interval", time.Second, "")
	fs.StringVar(&o.Sort, "sort", "", "")
	fs.StringVar(&o.Filter, "filter", "", "")
	fs.BoolVar(&o.Paths, "paths", false, "")
	once := fs.Bool("once", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	words := fs.Args()
	if o.Interval == 0 { // 0 selects the default
		return env.Wrong("an interval of 0s can't be; leave -interval out for 1s")
	}
	if err := o.Check(); err != nil {
		return env.Wrong("%v", err)
	}
	switch {
	case len(words) == 0:
		return withoutTarget(env)
	case len(words) > 1:
		return env.Wrong("one target at a time, not %d", len(words))
	}
	p, err := openTarget(env, words[0])
	if err != nil {
		return env.Fail(err)
	}
	defer p.Close()
	o.Width, o.Color = env.Terminal(env.Stdout)
	if *once || !cli.IsTerminal(env.Stdin) || !cli.IsTerminal(env.Stdout) || o.Width == 0 || env.Getenv("TERM") == "dumb" {
		err = top.Once(ctx, p, o, env.Stdout)
	} else {
		err = top.Run(ctx, p, o, env.Stdin.(*os.File), env.Stdout.(*os.File))
	}
	if err != nil {
		return env.Fail(err)
	}
	return cli.OK
}
