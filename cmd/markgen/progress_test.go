package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/internal/cli"
)

// On a terminal the line is overwritten, and fits; otherwise each run has a line.
func TestRunProgress(t *testing.T) {
	var out bytes.Buffer
	p := &runProgress{progressLine: progressLine{w: &out, width: 36}, prefix: "markgen test: ", total: 4, start: time.Now().Add(-2 * time.Second)}
	p.begin("run 1 of 2, old")
	p.end("run 1 of 2, old", 2*time.Second, "")
	p.begin("run 1 of 2, new")
	p.end("run 1 of 2, new", 2*time.Second, ", exit code 1; its data are left out")
	p.begin("run 2 of 2, new")
	p.clear()
	const over = "\r\x1b[K"
	want := over + "markgen test: run 1 of 2, old" +
		over + "markgen test: run 1 of 2, new, 6s …" +
		over + "markgen test: run 1 of 2, new: 2.00s, exit code 1; its data are left out\n" +
		over + "markgen test: run 2 of 2, new, 2s …" +
		over
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}

	out.Reset()
	p = &runProgress{progressLine: progressLine{w: &out}, prefix: "markgen test: ", total: 2, start: time.Now()}
	for _, name := range []string{"run 1 of 2", "run 2 of 2"} {
		p.begin(name)
		p.end(name, 1250*time.Millisecond, "")
	}
	p.clear()
	if want := "markgen test: run 1 of 2: 1.25s\nmarkgen test: run 2 of 2: 1.25s\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("escapes where there is no terminal")
	}
}

// A width set by the user does not make something else a terminal.
func TestProgressColumns(t *testing.T) {
	if l := newProgressLine(&cli.Env{Stderr: new(bytes.Buffer), Environ: []string{"COLUMNS=80", "TERM=xterm"}}); l.width != 0 {
		t.Errorf("a line of %d columns in a file", l.width)
	}
}
