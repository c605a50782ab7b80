//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/markgen/markgen/internal/cli"
)

// become replaces this process with another program, with the directory and environment of env. It
// returns only if that fails.
func become(env *cli.Env, path string, argv []string) (code int, err error) {
	if err := os.Chdir(env.Dir); err != nil {
		return cli.Failure, err
	}
	return cli.Failure, fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, env.Environ))
}
