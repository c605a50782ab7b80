package overlay_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Ctrl-C on a terminal reaches the program once: from the terminal, and not also from markgen.
func TestInterruptFromTerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
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
	defer tty.Close()

	cmd := markgenIn(t, module(t, map[string]string{"main.go": signalled}), t.TempDir(), "run", ".")
	stdout := &waiter{until: "ready\n", ready: make(chan struct{})}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.wait(t)
	if _, err := master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if got, want := stdout.String(), "ready\ninterrupt\n"; got != want {
		t.Errorf("the program printed %q, want %q", got, want)
	}
	if code := cmd.ProcessState.ExitCode(); code != 5 {
		t.Errorf("exit code %d, %v; want 5", code, err)
	}
	if !strings.Contains(stderr.String(), "\ngot   func      1") {
		t.Errorf("no report of one scope:\n%s", stderr.String())
	}
}
