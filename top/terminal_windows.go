package top

import (
	"os"

	"golang.org/x/sys/windows"
)

// notifyDisturbed does nothing: there are no such signals, and the size is asked for at every
// refresh anyway.
func notifyDisturbed(chan<- os.Signal) {}

// interpretSequences has a console obey escape sequences rather than show them.
func interpretSequences(out *os.File) error {
	console := windows.Handle(out.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return os.NewSyscallError("GetConsoleMode", err)
	}
	return os.NewSyscallError("SetConsoleMode", windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING))
}
