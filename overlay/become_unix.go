//go:build unix

package overlay

import (
	"os"
	"os/exec"
	"syscall"
)

// shell is the shell that runs scripts.
const shell = "/bin/sh"

// become replaces this process with a program.
func become(program string, args []string) (code int, err error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return 2, err
	}
	return 2, syscall.Exec(path, append([]string{program}, args...), os.Environ())
}
