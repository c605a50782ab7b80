package top

import (
	"os"

	"golang.org/x/sys/windows"
)

// notifyRedraw does nothing: there are no such signals, and the size is read at every refresh.
func notifyRedraw(chan<- os.Signal) {}

// enableEscapes makes the console interpret escape sequences.
func enableEscapes(out *os.File) error {
	console := windows.Handle(out.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return os.NewSyscallError("GetConsoleMode", err)
	}
	return os.NewSyscallError("SetConsoleMode", windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING))
}
