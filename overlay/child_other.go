//go:build !unix

package overlay

import "os"

var forwarded = []os.Signal{os.Interrupt}

func fromTerminal(s os.Signal) bool { return s == os.Interrupt }

// inForeground returns true: the console sends Ctrl-C to every process attached to it.
func inForeground() bool { return true }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
