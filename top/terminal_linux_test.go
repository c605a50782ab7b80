package top

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal and what was written to it.
type terminal struct {
	master, tty *os.File

	mu   sync.Mutex
	text strings.Builder
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
	term := &terminal{master: master, tty: tty}
	t.Cleanup(func() { master.Close(); tty.Close() })
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			term.mu.Lock()
			term.text.Write(buf[:n])
			term.mu.Unlock()
		}
	}()
	return term
}

// wait returns what was written once a text is in it, and forgets it.
func (term *terminal) wait(t *testing.T, text string) string {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		term.mu.Lock()
		all := term.text.String()
		if strings.Contains(ansi.Strip(all), text) {
			term.text.Reset()
			term.mu.Unlock()
			return all
		}
		term.mu.Unlock()
		if time.Now().After(end) {
			t.Fatalf("%q does not appear:\n%s", text, ansi.Strip(all))
		}
	}
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
		text := term.wait(t, "storage.(*Server).Fetch")
		key(" ")
		text += term.wait(t, "pause: done")
		if colored := strings.Contains(text, "\x1b[33m"); colored == noColor {
			t.Errorf("colours: %v, with NO_COLOR: %v", colored, noColor)
		}
		if !strings.Contains(text, "\x1b[?1049h") {
			t.Error("it does not take a screen of its own")
		}
		key("\x1b[Bo") // the arrow down
		term.wait(t, "is off")
		key("/never\r")
		term.wait(t, `filter "never": 1 marker`)
		key("q")
		if err := <-done; err != nil {
			t.Error(err)
		}
		term.wait(t, "")
		if len(f.did) != 2 || f.did[0] != "pause" || !strings.HasSuffix(f.did[1], " false") {
			t.Errorf("did %q", f.did)
		}
	}
}
