package top

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Sequences for setting up and restoring the terminal: ECMA-48 and the private modes of xterm. Line
// wrapping is off, since every character counts as one column, as in reports: a line with wide characters
// is cut at the edge and stays one line.
const (
	enter     = "\x1b[22;2t\x1b]2;markgen top\x07" + ownScreen // save the title and set it
	ownScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"                 // alternate screen, no cursor, no wrapping
	leave     = "\x1b[?7h\x1b[?25h\x1b[?1049l" +
		"\x1b]2;\x07\x1b[23;2t" // no title if the terminal can't save it
)

// A terminal is in raw mode until it is closed.
//
// This file, keys.go and the loop in run.go replace a framework, which would add 17 modules for one
// view: a table that is redrawn every second, and thirty keys. Only sequences that all terminals
// know are written. The terminal is never queried, so that no answer can appear among the keys, or
// on the screen after the program has ended.
type terminal struct {
	in, out           *os.File
	inModes, outModes *term.State // modes to restore
	lines             []string    // on the screen; nil if unknown
}

func openTerminal(in, out *os.File) (*terminal, error) {
	t := &terminal{in: in, out: out}
	var err error
	if t.outModes, err = term.GetState(int(out.Fd())); err != nil {
		return nil, fmt.Errorf("the output is no terminal: %w", err)
	}
	if t.inModes, err = term.MakeRaw(int(in.Fd())); err != nil {
		return nil, fmt.Errorf("the input is no terminal: %w", err)
	}
	if err = enableEscapes(out); err == nil {
		_, err = io.WriteString(out, enter)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close restores the terminal.
func (t *terminal) close() {
	io.WriteString(t.out, leave) // if it fails, the terminal is gone
	term.Restore(int(t.out.Fd()), t.outModes)
	term.Restore(int(t.in.Fd()), t.inModes)
}

// reclaim sets up the terminal again after another process, such as a shell, may have used it, or
// after its size has changed.
func (t *terminal) reclaim() error {
	t.lines = nil
	_, err := term.MakeRaw(int(t.in.Fd()))
	_, written := t.out.WriteString(ownScreen)
	return errors.Join(err, written)
}

// size returns the size of the terminal, if known.
func (t *terminal) size() (s size, ok bool) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	return size{width, height}, err == nil && width > 0 && height > 0
}

// paint writes all lines that have changed, in one call. It erases a line before writing it, not
// after: a line that ends at the edge would lose its last character.
func (t *terminal) paint(lines []string) error {
	var b strings.Builder
	if t.lines == nil {
		b.WriteString("\x1b[2J")
	}
	for i, line := range lines {
		if i >= len(t.lines) || t.lines[i] != line {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K%s", i+1, line)
		}
	}
	if len(lines) < len(t.lines) {
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[J", len(lines)+1)
	}
	t.lines = lines
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}
