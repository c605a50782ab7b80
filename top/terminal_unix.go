//go:build unix

package top

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyDisturbed sends to c when the size of the terminal has changed, and when the process goes
// on after it was stopped: a shell has used the terminal meanwhile.
func notifyDisturbed(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT) }

// interpretSequences is for terminals that have to be told to.
func interpretSequences(*os.File) error { return nil }
