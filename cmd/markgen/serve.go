package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"

	"github.com/markgen/markgen/internal/cli"
)

// The central service is a separate program, since few users need it, and it has more dependencies
// than everything else.
const serviceCommand = ownModule + "/service/cmd/markgend"

var cmdServe = &cli.Command{
	Name:  "serve",
	Short: "the central service: starts markgend, or says how to get it",
	Long: `
usage: markgen serve [flags]

The central service, which takes what markgen push sends and answers markgen query and browsers, is a program of its
own: markgend. If it is on PATH serve runs it with the same flags; else it says how to get it:

  go install ` + serviceCommand + `@latest

markgend help lists its commands and flags.`,
	Run: func(_ context.Context, env *cli.Env, args []string) int { return runService(env, "serve", args) },
}

var cmdToken = &cli.Command{
	Name:  "token",
	Short: "who may send batches to the central service, and who may ask: markgend token",
	Long: `
usage: markgen token add|list|revoke …

Tokens of the central service are made, listed and revoked by its program, markgend. If that is on PATH token runs
markgend token with the same arguments; else it says how to get it:

  go install ` + serviceCommand + `@latest

markgend help token explains the rest.`,
	Run: func(_ context.Context, env *cli.Env, args []string) int { return runService(env, "token", args) },
}

// runService runs a command of markgend, in place of this process where possible; otherwise it
// returns the exit code.
func runService(env *cli.Env, command string, args []string) int {
	if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		code, _ := env.Parse(env.Flags(), args[:1])
		return code
	}
	path, err := exec.LookPath("markgend")
	if err != nil {
		return env.Fail(fmt.Errorf("the central service is a program of its own, markgend, which is not on PATH; get it with go install %s@latest", serviceCommand))
	}
	code, err := become(env, path, append([]string{"markgend", command}, args...))
	if err != nil {
		return env.Fail(err)
	}
	return code
}
