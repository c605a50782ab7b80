package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal returns the width of the terminal that w is, and whether to use colours. If w is no
// terminal, the width is that in the variable COLUMNS, or 0.
func (e *Env) Terminal(w io.Writer) (width int, color bool) {
	if !IsTerminal(w) {
		width, _ = strconv.Atoi(e.Getenv("COLUMNS"))
		return max(0, width), false
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		width = 0
	}
	return width, e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}
