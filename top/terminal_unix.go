//go:build unix

package top

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyRedraw sends to c after the size of the terminal has changed, or after the process was
// stopped and continued: a shell may have used the terminal.
func notifyRedraw(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT) }

// enableEscapes does nothing: only Windows consoles need it.
func enableEscapes(*os.File) error { return nil }
