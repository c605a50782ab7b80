package top

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// What a terminal is told at the beginning and at the end: ECMA-48 and the private modes of
// xterm. Lines are not wrapped, since characters are counted as one column wide, as in reports: a
// line with wide ones is cut at the edge and stays one line.
const (
	enter     = "\x1b[22;2t\x1b]2;markgen top\x07" + ownScreen // keep the title and set it
	ownScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"                 // a screen of its own, no cursor, no wrapping
	leave     = "\x1b[?7h\x1b[?25h\x1b[?1049l" +
		"\x1b]2;\x07\x1b[23;2t" // no title where none is kept
)

// A terminal is one that was taken over, until it is closed.
//
// This, keys.go and the loop in run.go stand in for a framework, which would be 17 modules
// for one view: a table that is painted anew every second, and thirty keys. Only sequences are
// written that terminals of every make know. Nothing is asked of the terminal, so that none of
// its answers gets among the keys, or on the screen of who comes next.
type terminal struct {
	in, out           *os.File
	inModes, outModes *term.State // of before
	lines             []string    // on the screen; nil if that is not known
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
	if err = interpretSequences(out); err == nil {
		_, err = io.WriteString(out, enter)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close leaves the terminal as it was.
func (t *terminal) close() {
	io.WriteString(t.out, leave) // if it fails there is no terminal any more
	term.Restore(int(t.out.Fd()), t.outModes)
	term.Restore(int(t.in.Fd()), t.inModes)
}

// reclaim is for when another process, as a shell, may have used the terminal, or its size has
// changed.
func (t *terminal) reclaim() error {
	t.lines = nil
	_, err := term.MakeRaw(int(t.in.Fd()))
	_, written := t.out.WriteString(ownScreen)
	return errors.Join(err, written)
}

// size is how large the terminal is, if it says so.
func (t *terminal) size() (s size, ok bool) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	return size{width, height}, err == nil && width > 0 && height > 0
}

// paint writes the lines that are not on the screen yet, all at once. Each is erased before and
// not behind it: at the edge that would be its last character.
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
