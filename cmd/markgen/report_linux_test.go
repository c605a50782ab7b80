package main

import (
	"bytes"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// A binary format is not written to a terminal, but to a file.
func TestReportBinaryTerminal(t *testing.T) {
	dir := reportFolder(t)
	var stderr bytes.Buffer
	_, tty := openTerminal(t, 80)
	env := &cli.Env{Args: []string{"report", "-format", "pprof", "one.markgen"}, Stdout: tty, Stderr: &stderr, Dir: dir}
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
