//go:build !unix

package overlay

import (
	"errors"
	"os"
	"os/exec"
)

// shell runs scripts; "": nothing does.
const shell = ""

// become runs a program and returns its exit code.
func become(program string, args []string) (code int, err error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 2, err
	}
	return 0, nil
}
