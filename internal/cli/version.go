package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

func (p *Program) version() *Command {
	return &Command{
		Name:  "version",
		Short: "the version of " + p.Name + " and of the Go it was built with",
		Long: `
usage: ` + p.Name + ` version

Version prints the version of ` + p.Name + `, the commit it was built from where that is known,
and the Go release, operating system and processor it was built with and for.`,
		Run: func(_ context.Context, env *Env, args []string) int {
			fs := env.Flags()
			if code, done := env.Parse(fs, args); done {
				return code
			}
			if fs.NArg() > 0 {
				return env.Wrong("no arguments are expected, not %q", fs.Arg(0))
			}
			fmt.Fprintf(env.Stdout, "%s %s %s %s/%s\n", p.Name, Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return OK
		},
	}
}

// Version is the module version of this binary, with the commit for a build from a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	if v != "(devel)" {
		return v // the go command has put the commit into it
	}
	var commit, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = " " + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return v + commit + dirty
}
