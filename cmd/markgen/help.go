package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// cmdHelp gets its run function in init, for that reads the table, which names cmdHelp.
var cmdHelp = &command{
	name:  "help",
	short: "this list, or what one command does",
	long: `
usage: markgen help [command]

Help lists the commands, or says what one of them does, with its flags and examples.
markgen COMMAND -h prints the same.`,
}

func init() { cmdHelp.run = runHelp }

func runHelp(_ context.Context, env *Env, args []string) int {
	switch {
	case len(args) == 0:
	case args[0] == "-h" || args[0] == "-help" || args[0] == "--help":
		cmdHelp.usage(env.Stdout)
		return exitOK
	case len(args) > 1:
		return env.wrong("one command at a time, not %d", len(args))
	default:
		c := lookup(args[0])
		if c == nil {
			return unknownCommand(env, args[0])
		}
		c.usage(env.Stdout)
		return exitOK
	}
	fmt.Fprint(env.Stdout, `Markgen puts performance markers into Go programs and reports what they measured.

usage: markgen [flags] [packages]            mark source in place (markgen help mark)
       markgen command [flags] [arguments]

`)
	width := 0
	for _, c := range commands() {
		width = max(width, len(c.name))
	}
	for _, c := range commands() {
		fmt.Fprintf(env.Stdout, "  %-*s   %s\n", width, c.name, c.short)
	}
	fmt.Fprint(env.Stdout, `
markgen help COMMAND explains one. Flags may also stand behind the arguments, save where these are go's or a command
line: of build, run, test, exec and isolate. Exit codes: 0, 1 a finding or a failure, 2 wrong usage.
`)
	return exitOK
}

var cmdVersion = &command{
	name:  "version",
	short: "the version of markgen and of the Go it was built with",
	long: `
usage: markgen version

Version prints the version of markgen, the commit it was built from where that is known,
and the Go release, operating system and processor it was built with and for.`,
	run: runVersion,
}

func runVersion(_ context.Context, env *Env, args []string) int {
	fs := env.flags()
	if code, done := env.parse(fs, args); done {
		return code
	}
	if fs.NArg() > 0 {
		return env.wrong("no arguments are expected, not %q", fs.Arg(0))
	}
	fmt.Fprintf(env.Stdout, "markgen %s %s %s/%s\n", ownVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// ownVersion is the module version of this binary, with the commit for a build from a checkout.
func ownVersion() string {
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
