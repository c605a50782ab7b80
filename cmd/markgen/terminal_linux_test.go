package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/markgen/markgen/internal/cli"
)

// openTerminal creates a terminal with that many columns. Output to tty is read from master.
func openTerminal(t *testing.T, columns uint16) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, tty
}

// Activities of more than a second show that they are running, on a terminal, and erase the line.
func TestWaiting(t *testing.T) {
	t.Parallel()
	master, tty := openTerminal(t, 80)
	ended := showWaiting(&cli.Env{Stderr: tty}, "compiling what is marked")
	time.Sleep(1500 * time.Millisecond)
	ended()
	fmt.Fprintln(tty, "end")
	line, err := bufio.NewReader(master).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "\r\x1b[Kmarkgen: compiling what is marked, 1s\r") || !strings.HasSuffix(line, "\r\x1b[Kend\r\n") {
		t.Errorf("on the terminal is %q, %v", line, err)
	}
	var quick bytes.Buffer
	showWaiting(&cli.Env{Stderr: &quick}, "compiling")()
	if quick.Len() > 0 {
		t.Errorf("where there is none, %q", quick.String())
	}
}

// On a terminal a report, with its histograms, has the width of the terminal, and colour unless
// disabled.
func TestReportOnTerminal(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.markgen"), runFile(0, false), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		columns uint16
		environ []string
		colour  bool
		bars    string
	}{
		{200, nil, true, "█▅   ▅"},
		{60, []string{"LANG=C.UTF-8"}, true, "█▅   ▅"},
		{48, []string{"LC_ALL=de_DE.utf8", "LANG=C"}, true, "█▅   ▅"},
		{25, nil, true, "█ ▅"}, // two buckets per bar
		{60, []string{"NO_COLOR=1", "LANG=C"}, false, "@+   +"},
		{60, []string{"TERM=dumb"}, false, "@+   +"},
		{60, []string{"LANG=en_US.ISO-8859-1"}, true, "@+   +"},
	} {
		master, tty := openTerminal(t, tt.columns)
		code := Main(&cli.Env{Args: []string{"report", "-hist", "one.markgen"}, Stdout: tty, Stderr: os.Stderr, Dir: dir, Environ: tt.environ})
		fmt.Fprintln(tty, "end")
		text, bars := "", ""
		for lines := bufio.NewScanner(master); lines.Scan() && lines.Text() != "end"; {
			text += lines.Text() + "\n"
			plain := uncoloured(lines.Text())
			if n := utf8.RuneCountInString(plain); n > max(48, int(tt.columns)) && strings.Contains(text, "count") && !strings.Contains(plain, "by self") {
				t.Errorf("%d columns: %d are written: %s", tt.columns, n, plain)
			}
			if _, after, ok := strings.Cut(plain, "4.10µs "); ok {
				bars = strings.TrimSpace(after)
			}
		}
		if code != cli.OK || strings.Contains(text, "\x1b[") != tt.colour || bars != tt.bars {
			t.Errorf("%d columns, %q: exit code %d, bars %q:\n%s", tt.columns, tt.environ, code, bars, text)
		}
	}
}

// uncoloured returns text without colour escape sequences.
func uncoloured(text string) string {
	plain := ""
	for i, part := range strings.Split(text, "\x1b[") {
		if _, rest, ok := strings.Cut(part, "m"); ok && i > 0 {
			part = rest
		}
		plain += part
	}
	return plain
}
