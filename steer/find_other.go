//go:build !linux

package steer

import (
	"errors"
	"fmt"
)

// found is the data file of a process.
type found struct{ path, shown string }

// errNoProcess is wrapped by errors if the data file of a process can't be found.
var errNoProcess = errors.New("the open files of a process can't be seen on this system")

func processes() (pids []int, ok bool) { return nil, false }

func commandLine(int) string { return "" }

func ofProcess(pid int) (found, error) {
	return found{}, fmt.Errorf("process %d: %w; give its data file", pid, errNoProcess)
}
