package top

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a terminal's emulator on its other side,
// since a program draws only what changes of a screen.
type terminal struct {
	master, tty *os.File

	mu      sync.Mutex
	screen  *vt.Emulator
	written strings.Builder
}

func newTerminal(t *testing.T, width, height uint16) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{master: master, tty: tty, screen: vt.NewEmulator(int(width), int(height))}
	t.Cleanup(func() { master.Close(); tty.Close(); term.screen.InputPipe().(io.Closer).Close() })
	go io.Copy(master, term.screen) // what a terminal answers when it is asked
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			term.mu.Lock()
			term.screen.Write(buf[:n])
			term.written.Write(buf[:n])
			term.mu.Unlock()
		}
	}()
	return term
}

// wait returns once a condition of the screen holds, what being the words for it.
func (term *terminal) wait(t *testing.T, what string, holds func(screen *vt.Emulator) bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		term.mu.Lock()
		held, text := holds(term.screen), term.screen.String()
		term.mu.Unlock()
		if held {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not so after 10 s; the screen:\n%s", what, text)
		}
	}
}

// shows waits until a text is on the screen.
func (term *terminal) shows(t *testing.T, text string) {
	t.Helper()
	term.wait(t, text, func(screen *vt.Emulator) bool { return strings.Contains(screen.String(), text) })
}

// On a terminal keys are read and the screen is drawn, and given back at the end.
func TestTerminal(t *testing.T) {
	for _, noColor := range []bool{false, true} {
		f := demo(t)
		term := newTerminal(t, 80, 24)
		environ := []string{"TERM=xterm-256color"}
		if noColor {
			environ = append(environ, "NO_COLOR=1")
		}
		done := make(chan error, 1)
		go func() {
			done <- Run(context.Background(), f, Options{Interval: 50 * time.Millisecond, Sort: "all"}, term.tty, term.tty, environ)
		}()
		key := func(keys string) {
			if _, err := term.master.WriteString(keys); err != nil {
				t.Fatal(err)
			}
		}
		term.shows(t, "storage.(*Server).Fetch")
		term.wait(t, "a screen of its own", (*vt.Emulator).IsAltScreen)
		key(" ")
		term.shows(t, "pause: done")
		term.mu.Lock()
		colored := strings.Contains(term.written.String(), "\x1b[33m")
		term.mu.Unlock()
		if colored == noColor {
			t.Errorf("colours: %v, with NO_COLOR: %v", colored, noColor)
		}
		key("\x1b[Bo") // the arrow down
		term.shows(t, "is off")
		key("/never\r")
		term.shows(t, `filter "never": 1 marker`)
		key("q")
		if err := <-done; err != nil {
			t.Error(err)
		}
		term.wait(t, "the screen of before", func(screen *vt.Emulator) bool { return !screen.IsAltScreen() })
		if len(f.did) != 2 || f.did[0] != "pause" || !strings.HasSuffix(f.did[1], " false") {
			t.Errorf("did %q", f.did)
		}
	}
}
