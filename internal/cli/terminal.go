package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// IsTerminal reports whether a reader or writer is a terminal: keys can be read from it, or what is written is seen.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal returns the width of the terminal that w is and whether to use
// colours there. If it is none, the width is that of the variable COLUMNS, 0 where there is none, too.
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
