package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Terminal returns the width of the terminal that w is and whether to use
// colours there. If it is none, the width is that of the variable COLUMNS, 0 where there is none, too.
func (e *Env) Terminal(w io.Writer) (width int, color bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		width, _ = strconv.Atoi(e.Getenv("COLUMNS"))
		return max(0, width), false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return width, e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}
