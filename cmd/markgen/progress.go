package main

import (
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// A runProgress shows how far a repetition is on standard error: on a terminal a line that is written over, elsewhere
// a line for each run that has ended.
type runProgress struct {
	w      io.Writer
	prefix string // of lines
	width  int    // of the terminal; 0: there is none
	total  int    // runs to be made
	ended  int
	start  time.Time
	shown  bool // there is a line to write over
}

func newProgress(e *Env, total int) *runProgress {
	p := &runProgress{w: e.Stderr, prefix: "markgen " + e.command.name + ": ", total: total, start: time.Now()}
	if e.Getenv("TERM") != "dumb" {
		p.width, _ = terminal(e, e.Stderr)
	}
	return p
}

// begin says that the run called name begins.
func (p *runProgress) begin(name string) {
	if p.width == 0 {
		return
	}
	left := time.Duration(0)
	if p.ended > 0 {
		left = time.Since(p.start) / time.Duration(p.ended) * time.Duration(p.total-p.ended)
	}
	p.show(name, left)
}

// show says what is being done and how long the rest may take, 0 if that is not known.
func (p *runProgress) show(doing string, left time.Duration) {
	if p.width == 0 {
		return
	}
	line := p.prefix + doing
	if left > 0 {
		line += ", " + left.Round(time.Second).String() + " left"
	}
	fmt.Fprint(p.w, "\r\x1b[K"+ansi.Truncate(line, p.width-1, "…"))
	p.shown = true
}

// end says that the run called name has ended, and how.
func (p *runProgress) end(name string, took time.Duration, failed string) {
	p.ended++
	if p.width == 0 || failed != "" {
		p.clear()
		fmt.Fprintf(p.w, "%s%s: %.2fs%s\n", p.prefix, name, took.Seconds(), failed)
	}
}

// clear makes room for other lines.
func (p *runProgress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
