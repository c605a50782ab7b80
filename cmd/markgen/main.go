// Command markgen puts performance markers into Go programs and reports what they measured.
//
// markgen help lists the commands; markgen help CMD explains one.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/markgen/markgen/overlay"
)

// commands is the table of subcommands, in the order in which help lists them.
// A new command is one line here and one file beside this one with its var cmdX = &command{…}.
func commands() []*command {
	return []*command{
		cmdMark,
		cmdBuild,
		cmdRun,
		cmdTest,
		cmdExec,
		cmdIsolate,
		cmdList,
		cmdReport,
		cmdMerge,
		cmdDiff,
		cmdBetween,
		cmdCtl,
		cmdTop,
		cmdServe,
		cmdToken,
		cmdQuery,
		cmdPush,
		cmdInit,
		cmdVersion,
		cmdHelp,
	}
}

func main() {
	if code, ok := overlay.Called(os.Args[1:]); ok {
		os.Exit(code)
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v; change to a directory that exists\n", err)
		os.Exit(exitFailure)
	}
	os.Exit(Main(&Env{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Dir:     dir,
		Environ: goenvFrom(dir, os.Environ()),
	}))
}

// goenvFrom is environ with the path in GOENV absolute. It is relative to where go is started, before a -C, and go is not
// always started in dir.
func goenvFrom(dir string, environ []string) []string {
	if name := os.Getenv("GOENV"); name != "" && name != "off" && !filepath.IsAbs(name) {
		environ = append(environ, "GOENV="+filepath.Join(dir, name))
	}
	return environ
}

// Main runs the command that env.Args names and returns its exit code. A first argument that is neither a
// command nor a word that looks like one belongs to mark.
func Main(env *Env) int {
	ctx := context.Background()
	args := env.Args
	if len(args) > 0 {
		if alias := map[string]string{"-h": "help", "-help": "help", "--help": "help", "-version": "version", "--version": "version"}[args[0]]; alias != "" {
			args = append([]string{alias}, args[1:]...)
		}
		if c := lookup(args[0]); c != nil {
			return env.run(ctx, c, args[1:])
		}
		if word := args[0]; looksLikeCommand(env, word) {
			return unknownCommand(env, word)
		}
	}
	if c := lookup("mark"); c != nil {
		return env.run(ctx, c, args)
	}
	return env.run(ctx, cmdHelp, args)
}

// lookup returns the command of that name, or nil.
func lookup(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// unknownCommand reports a word that is no command.
func unknownCommand(env *Env, word string) int {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if near := nearest(word, names); near != "" {
		fmt.Fprintf(env.Stderr, "markgen: unknown command %q, did you mean %q? Run markgen help for the list\n", word, near)
	} else {
		fmt.Fprintf(env.Stderr, "markgen: unknown command %q; run markgen help for the list, or markgen mark %s to mark a package of that name\n", word, word)
	}
	return exitUsage
}
