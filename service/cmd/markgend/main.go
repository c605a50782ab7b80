// Command markgend is markgen's central service: it accepts batches from many machines, and answers
// what an API costs.
//
// markgend help lists the commands; markgend help CMD explains one.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/markgen/markgen/internal/cli"
)

// program is the table of commands.
var program = &cli.Program{
	Name: "markgend",
	Long: `Markgend is markgen's central service, which adds up what many machines measured.

usage: markgend [flags]                      serve (markgend help serve)
       markgend command [flags] [arguments]

Markgen push sends it what marked programs left; markgen query and browsers ask it what an API costs.`,
	End:       `markgend help COMMAND explains one. Exit codes: 0, 1 a failure, 2 wrong usage.`,
	Commands:  []*cli.Command{cmdServe, cmdInit, cmdToken, cmdBackup, cmdRestore},
	Default:   "serve",
	IsCommand: func(_ *cli.Env, word string) bool { return !strings.HasPrefix(word, "-") },
}

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgend: %v; change to a directory that exists\n", err)
		os.Exit(cli.Failure)
	}
	os.Exit(program.Main(context.Background(), &cli.Env{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Dir:     dir,
		Environ: os.Environ(),
	}))
}
