package top

import (
	"os"

	"golang.org/x/sys/windows"
)

// notifyDisturbed does nothing: there are no such signals, and the size is read at every refresh.
func notifyDisturbed(chan<- os.Signal) {}

// interpretSequences makes the console interpret escape sequences.
func interpretSequences(out *os.File) error {
	console := windows.Handle(out.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return os.NewSyscallError("GetConsoleMode", err)
	}
	return os.NewSyscallError("SetConsoleMode", windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING))
}
