package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminalFile is a terminal to write to.
func terminalFile(t *testing.T) *os.File {
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
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return tty
}

// A format that is no text is not written to a terminal, and is to a file from there.
func TestReportBinaryTerminal(t *testing.T) {
	dir := reportFolder(t)
	var stderr bytes.Buffer
	env := &Env{Args: []string{"report", "-format", "pprof", "one.markgen"}, Stdout: terminalFile(t), Stderr: &stderr, Dir: dir}
	const want = "markgen report: the format pprof is not text, and standard output is a terminal: write it to a file with -o FILE; run markgen help report\n"
	if code := Main(env); code != 2 || stderr.String() != want {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	stderr.Reset()
	env.Args = append([]string{"report", "-o", "pb.gz"}, env.Args[1:]...)
	if code := Main(env); code != 0 || stderr.Len() > 0 {
		t.Errorf("with -o: exit code %d: %s", code, stderr.String())
	}
}
