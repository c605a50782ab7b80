// Command markgen puts performance markers into Go programs and reports their measurements.
//
// markgen help lists the commands; markgen help CMD explains one.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
)

// program is the table of subcommands. A new command needs one line here, and one file beside this
// one with its var cmdX = &cli.Command{…}.
var program = &cli.Program{
	Name: "markgen",
	Long: `Markgen puts performance markers into Go programs and reports what they measured.

usage: markgen [flags] [packages]            mark source in place (markgen help mark)
       markgen command [flags] [arguments]`,
	End: `markgen help COMMAND explains one. Flags may also follow the arguments, except where these are go's or a command
line: of build, run, test, exec and isolate. Exit codes: 0, 1 a finding or a failure, 2 wrong usage.`,
	Commands: []*cli.Command{
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
		cmdBisect,
		cmdBetween,
		cmdCtl,
		cmdTop,
		cmdServe,
		cmdToken,
		cmdQuery,
		cmdPush,
		cmdInit,
		cmdCompletion,
	},
	Default:   "mark",
	IsCommand: looksLikeCommand,
	OrElse:    func(word string) string { return "markgen mark " + word + " to mark a package of that name" },
}

func main() {
	if code, ok := overlay.Called(os.Args[1:]); ok {
		os.Exit(code)
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v; change to a directory that exists\n", err)
		os.Exit(cli.Failure)
	}
	os.Exit(Main(&cli.Env{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Dir:     dir,
		Environ: goenvFrom(dir, os.Environ()),
	}))
}

// Main runs the command that env.Args names and returns its exit code.
func Main(env *cli.Env) int { return program.Main(context.Background(), env) }

// goenvFrom returns environ with the path in GOENV made absolute. It is relative to the directory
// in which go is started, before -C, and go is not always started in dir.
func goenvFrom(dir string, environ []string) []string {
	if name := os.Getenv("GOENV"); name != "" && name != "off" && !filepath.IsAbs(name) {
		environ = append(environ, "GOENV="+filepath.Join(dir, name))
	}
	return environ
}

// looksLikeCommand reports whether a first argument was meant as a command: a single lower-case
// word. Packages contain a dot or a slash, except those to which go gives a one-word name, and a
// main module with a one-word path.
func looksLikeCommand(env *cli.Env, word string) bool {
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	switch word {
	case "all", "std", "cmd", "work", "tool":
		return false
	}
	return word != modulePath(env.Dir)
}

// modulePath returns the path of the module that contains dir, or "".
func modulePath(dir string) string {
	root, err := moduleRoot(dir)
	if err != nil {
		return ""
	}
	text, err := fileread.File(filepath.Join(root, "go.mod"))
	if err != nil {
		return ""
	}
	return modfile.ModulePath(text)
}
