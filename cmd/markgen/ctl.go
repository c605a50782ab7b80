package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/spelling"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/units"
)

var cmdCtl = &cli.Command{
	Name:  "ctl",
	Short: "show and change what a running program collects",
	Long: `
usage: markgen ctl TARGET status [-json]
       markgen ctl TARGET start|pause|resume|stop
       markgen ctl TARGET set KEY=VALUE…
       markgen ctl

Ctl steers a marked program that runs and collects, through its data file alone: the program has the file
mapped, and changes take effect at once. TARGET is the ID of the process or its data file; only the
file's owner can read or steer it. Without a TARGET the processes are listed that may be one (on
Linux); the exit code is 1 when there is none.

  status   the run's state and since when, sampling, how many markers are on
  start    begin collecting, if the program waits for it
  pause    open scopes finish, no new ones begin; the program itself goes on
  resume   collect again
  stop     end collecting; the program itself goes on
  set      change settings: all of them or, if one is invalid, none:
             only=GLOB;GLOB   collect these markers and no others
             skip=GLOB;GLOB   do not collect these; of the others all, or those of only
             on=GLOB;GLOB     collect these too
             off=GLOB;GLOB    do not collect these either
             NAME=on|off      the marker of that name
             sample=1:N       collect one scope in N; 1:1 is every scope

  -json    status as an object for programs

In a glob * stands for any text and ? for any one character; it has to match the whole name, or the part after the
last slash. Forbidden changes of state are refused. Markers that are only counted can't be turned on and off while
the program runs.

examples:
  markgen ctl 4711 status
  markgen ctl demo.4711.markgen pause
  markgen ctl 4711 set 'only=*.parse*;*.lex*' sample=1:100
  markgen ctl 4711 set 'example.com/demo.(*Parser).Expr=off'`,
	Run: runCtl,
}

func runCtl(_ context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	asJSON := fs.Bool("json", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	words := fs.Args()
	actions := slices.Concat([]string{"status"}, steer.Verbs(), []string{"set"})
	switch {
	case len(words) == 0 && *asJSON:
		return env.Wrong("-json is for status")
	case len(words) == 0:
		return withoutTarget(env)
	case len(words) == 1:
		return env.Wrong("nothing is said to do with %s; give one of %s", words[0], strings.Join(actions, ", "))
	}
	target, action, rest := words[0], words[1], words[2:]
	if !slices.Contains(actions, action) {
		if slices.Contains(actions, target) {
			return env.Wrong("the target comes first, then what to do with it: markgen ctl %s %s", action, target)
		}
		if near := spelling.Nearest(action, actions); near != "" {
			return env.Wrong("unknown action %q, did you mean %q?", action, near)
		}
		return env.Wrong("unknown action %q; give one of %s", action, strings.Join(actions, ", "))
	}
	switch {
	case action == "set" && len(rest) == 0:
		return env.Wrong("nothing is said to set; give KEY=VALUE")
	case action != "set" && len(rest) > 0:
		return env.Wrong("%s takes no argument, not %q", action, rest[0])
	case *asJSON && action != "status":
		return env.Wrong("-json is for status")
	}
	p, err := openTarget(env, target)
	if err != nil {
		return env.Fail(err)
	}
	defer p.Close()
	switch action {
	case "status":
	case "set":
		err = p.Set(rest...)
	default:
		err = p.Do(action)
	}
	if wrong := (*steer.SettingError)(nil); errors.As(err, &wrong) {
		return env.Wrong("%v", wrong)
	}
	if err != nil {
		return env.Fail(err)
	}
	s, err := p.Status()
	if err != nil {
		return env.Fail(err)
	}
	switch {
	case *asJSON:
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return env.Fail(err)
		}
		fmt.Fprintf(env.Stdout, "%s\n", text)
	case action == "status":
		fmt.Fprint(env.Stdout, s.Text())
	case action == "set":
		fmt.Fprintf(env.Stdout, "%s, process %d: %s of %s on, 1 scope in %s\n", report.Printable(s.App), s.PID,
			units.Count(uint64(s.On)), units.Plural(s.Markers, "marker"), units.Count(s.Sample))
	default:
		fmt.Fprintf(env.Stdout, "%s, process %d: %s\n", report.Printable(s.App), s.PID, s.State)
	}
	return cli.OK
}

// openTarget opens the process or data file named on the command line.
func openTarget(env *cli.Env, target string) (*steer.Process, error) {
	p, err := steer.Open(target, env.Dir)
	if err != nil {
		return nil, relative(env, err)
	}
	return p, nil
}
