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

	"golang.org/x/sys/unix"

	"github.com/markgen/markgen/internal/interrupt"
)

// screen is a pseudo-terminal with a display on its other side, since a program only writes the
// changes of a screen.
type screen struct {
	master, tty *os.File

	mu      sync.Mutex
	shown   *display
	written strings.Builder
}

func openScreen(t *testing.T, width, height uint16) *screen {
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
	term := &screen{master: master, tty: tty, shown: newDisplay(int(width), int(height))}
	t.Cleanup(func() { master.Close(); tty.Close() })
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			term.mu.Lock()
			term.shown.write(string(buf[:n]))
			term.written.Write(buf[:n])
			term.mu.Unlock()
		}
	}()
	return term
}

// wait waits for a condition of the screen; what describes it.
func (term *screen) wait(t *testing.T, what string, holds func(shown *display) bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		term.mu.Lock()
		held, text, unknown := holds(term.shown), term.shown.String(), term.shown.errors
		term.mu.Unlock()
		if len(unknown) > 0 {
			t.Fatalf("%s: %q was written; the screen:\n%s", what, unknown, text)
		}
		if held {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not so after 10 s; the screen:\n%s", what, text)
		}
	}
}

// shows waits until a text is on the screen.
func (term *screen) shows(t *testing.T, text string) {
	t.Helper()
	term.wait(t, text, func(shown *display) bool { return strings.Contains(shown.String(), text) })
}

// On a terminal, keys are read, the screen is drawn, and the terminal is restored at the end.
func TestTerminal(t *testing.T) {
	for _, color := range []bool{false, true} {
		f := demo(t)
		term := openScreen(t, 80, 24)
		done := make(chan error, 1)
		go func() {
			done <- Run(context.Background(), f, Options{Interval: 50 * time.Millisecond, Sort: "all", Color: color}, term.tty, term.tty)
		}()
		key := func(keys string) {
			if _, err := term.master.WriteString(keys); err != nil {
				t.Fatal(err)
			}
		}
		term.shows(t, "storage.(*Server).Fetch")
		term.wait(t, "a screen of its own", func(shown *display) bool { return shown.modes["?1049"] && !shown.modes["?25"] })
		key(" ")
		term.shows(t, "pause: done")
		term.mu.Lock()
		colored := strings.Contains(term.written.String(), "\x1b[33m")
		term.mu.Unlock()
		if colored != color {
			t.Errorf("colours: %v, want %v", colored, color)
		}
		key("\x1b[Bo") // the arrow down
		term.shows(t, "is off")
		key("/never\r")
		term.shows(t, `filter "never": 1 marker`)
		key("q")
		if err := <-done; err != nil {
			t.Error(err)
		}
		term.wait(t, "the screen of before", (*display).asItWas)
		if len(f.did) != 2 || f.did[0] != "pause" || !strings.HasSuffix(f.did[1], " false") {
			t.Errorf("did %q", f.did)
		}
	}
}

// broken is a source that panics.
type broken struct{ *fake }

func (broken) Do(string) error { panic("it is broken") }

// However the view ends, the terminal is restored.
func TestTerminalAsItWas(t *testing.T) {
	press := func(keys string) func(*screen, context.CancelFunc) {
		return func(term *screen, _ context.CancelFunc) { term.master.WriteString(keys) }
	}
	type way struct {
		name  string
		end   func(*screen, context.CancelFunc)
		panic bool
	}
	ways := []way{
		{"q", press("q"), false},
		{"ctrl-C", press("\x03"), false},
		{"ctrl-C in the filter", press("/a\x03"), false},
		{"context", func(_ *screen, cancel context.CancelFunc) { cancel() }, false},
		{"panic", press("p"), true},
	}
	for _, s := range interrupt.NotIgnored(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) {
		ways = append(ways, way{s.String(), func(*screen, context.CancelFunc) { syscall.Kill(os.Getpid(), s.(syscall.Signal)) }, false})
	}
	for _, tt := range ways {
		term := openScreen(t, 80, 24)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		before, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan any, 1)
		go func() {
			defer func() { done <- recover() }()
			if err := Run(ctx, broken{demo(t)}, Options{}, term.tty, term.tty); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}()
		term.shows(t, "storage.(*Server).Fetch")
		if during, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS); err != nil || *during == *before {
			t.Errorf("%s: while it is shown the modes are those of before, %v", tt.name, err)
		}
		tt.end(term, cancel)
		if said := fmt.Sprint(<-done); tt.panic != strings.Contains(said, "it is broken") {
			t.Errorf("%s: panicked with %s", tt.name, said)
		}
		if after, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS); err != nil || *after != *before {
			t.Errorf("%s: modes %+v, before %+v, %v", tt.name, after, before, err)
		}
		term.wait(t, "the screen of before", (*display).asItWas)
	}
}

// A screen whose size changes is redrawn.
func TestTerminalResized(t *testing.T) {
	term := openScreen(t, 80, 24)
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), demo(t), Options{Interval: time.Hour}, term.tty, term.tty)
	}()
	term.shows(t, "figures of the last") // the next would be an hour later
	term.mu.Lock()
	term.shown.resize(60, 10)
	term.mu.Unlock()
	if err := unix.IoctlSetWinsize(int(term.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 60}); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGWINCH) // this is not the controlling terminal of the process
	term.wait(t, "a line cut at the edge", func(shown *display) bool { return strings.HasSuffix(strings.TrimSpace(shown.String()), "…") })
	term.master.WriteString("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// If the terminal is gone, the view ends.
func TestTerminalGone(t *testing.T) {
	term := openScreen(t, 80, 24)
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), demo(t), Options{}, term.tty, term.tty) }()
	term.shows(t, helpLine)
	term.master.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
