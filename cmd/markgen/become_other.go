//go:build !unix

package main

import (
	"os/exec"

	"github.com/markgen/markgen/internal/cli"
)

// become runs another program, with the directory and environment of env, and returns its exit
// code.
func become(env *cli.Env, path string, argv []string) (code int, err error) {
	cmd := exec.Command(path, argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = env.Stdin, env.Stdout, env.Stderr, env.Dir, env.Environ
	if err := cmd.Run(); cmd.ProcessState == nil {
		return cli.Failure, err
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code, nil
	}
	return cli.Failure, nil
}
