package main

import (
	"fmt"
	"io"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
)

// A progressLine says on standard error how far something is: a line of the terminal that is written over and, in the
// end, gone. Where standard error is no terminal, there is none.
type progressLine struct {
	w     io.Writer
	width int  // of the terminal; 0: there is none
	shown bool // there is a line to write over
}

func newProgressLine(e *cli.Env) progressLine {
	l := progressLine{w: e.Stderr}
	if cli.IsTerminal(e.Stderr) && e.Getenv("TERM") != "dumb" {
		l.width, _ = e.Terminal(e.Stderr)
	}
	return l
}

// show shows a text in place of what was there.
func (l *progressLine) show(text string) {
	if l.width > 0 {
		fmt.Fprint(l.w, "\r\x1b[K"+report.Begin(text, l.width-1))
		l.shown = true
	}
}

// clear makes room for other lines.
func (l *progressLine) clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// A runProgress shows how far a repetition is: on a terminal in a line, elsewhere by a line for each run that has ended.
type runProgress struct {
	progressLine
	prefix string // of lines
	total  int    // runs to be made
	ended  int
	start  time.Time
}

func newProgress(e *cli.Env, total int) *runProgress {
	return &runProgress{progressLine: newProgressLine(e), prefix: e.Name() + ": ", total: total, start: time.Now()}
}

// begin says that the run called name begins.
func (p *runProgress) begin(name string) {
	left := time.Duration(0)
	if p.ended > 0 {
		left = time.Since(p.start) / time.Duration(p.ended) * time.Duration(p.total-p.ended)
	}
	p.show(name, left)
}

// show says what is being done and how long the rest may take, 0 if that is not known.
func (p *runProgress) show(doing string, left time.Duration) {
	line := p.prefix + doing
	if left > 0 {
		line += ", " + left.Round(time.Second).String() + " left"
	}
	p.progressLine.show(line)
}

// end says that the run called name has ended, and how.
func (p *runProgress) end(name string, took time.Duration, failed string) {
	p.ended++
	if p.width == 0 || failed != "" {
		p.clear()
		fmt.Fprintf(p.w, "%s%s: %.2fs%s\n", p.prefix, name, took.Seconds(), failed)
	}
}

// showWaiting shows on a terminal what takes long, after a second and until the function that it returns is called.
func showWaiting(e *cli.Env, doing string) (ended func()) {
	line := newProgressLine(e)
	if line.width == 0 {
		return func() {}
	}
	start, end, over := time.Now(), make(chan bool), make(chan bool)
	go func() {
		defer close(over)
		for tick := time.Tick(time.Second); ; {
			select {
			case now := <-tick:
				line.show(fmt.Sprintf("markgen: %s, %s", doing, now.Sub(start).Round(time.Second)))
			case <-end:
				line.clear()
				return
			}
		}
	}()
	return func() {
		close(end)
		<-over
	}
}

// showProgress returns a function that shows how far something is, on a terminal and when it takes over a second. The
// first word says what is done, the second with what.
func showProgress(e *cli.Env, doing, things string) func(done, total int) {
	line := newProgressLine(e)
	start, shown := time.Now(), time.Time{}
	return func(done, total int) {
		now := time.Now()
		switch {
		case done == total:
			line.clear()
		case now.Sub(start) > time.Second && now.Sub(shown) > 100*time.Millisecond && done < total:
			line.show(fmt.Sprintf("markgen: %s, %d of %d %s", doing, done, total, things))
			shown = now
		}
	}
}
