package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

func (p *Program) version() *Command {
	return &Command{
		Name:  "version",
		Short: "the version of " + p.Name + " and of the Go it was built with",
		Long: `
usage: ` + p.Name + ` version

Version prints the version of ` + p.Name + `, the commit it was built from where that is known, as a part of the
version between releases, and the Go release, operating system and processor it was built with and for.`,
		Run: func(_ context.Context, env *Env, args []string) int {
			fs := env.Flags()
			if code, done := env.Parse(fs, args); done {
				return code
			}
			if fs.NArg() > 0 {
				return env.Wrong("no arguments are expected, not %q", fs.Arg(0))
			}
			commit := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				commit = commitOf(info)
			}
			fmt.Fprintf(env.Stdout, "%s %s%s %s %s/%s\n", p.Name, Version(), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return OK
		},
	}
}

// Version returns the module version of this binary; for a build from a checkout it is the
// pseudo-version that go derives from the commit.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// commitOf returns " commit " and the commit from which a binary was built, or "" if it is unknown
// or part of the version.
func commitOf(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(info.Main.Version, s.Value[:12]) {
			return " commit " + s.Value[:12]
		}
	}
	return ""
}
