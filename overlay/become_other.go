//go:build !unix

package overlay

import (
	"os"
	"os/exec"
)

// shell is the shell that runs scripts; "" if there is none.
const shell = ""

// become runs a program and returns its exit code.
func become(program string, args []string) (code int, err error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return runChild(cmd)
}
