package main

import (
	"fmt"
	"io"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
)

// A progressLine shows progress on standard error, in a terminal line that is overwritten and
// finally erased. If standard error is no terminal, it shows nothing.
type progressLine struct {
	w     io.Writer
	width int  // width of the terminal; 0 if there is none
	shown bool // the line is visible
}

func newProgressLine(e *cli.Env) progressLine {
	l := progressLine{w: e.Stderr}
	if cli.IsTerminal(e.Stderr) && e.Getenv("TERM") != "dumb" {
		l.width, _ = e.Terminal(e.Stderr)
	}
	return l
}

// show replaces the line.
func (l *progressLine) show(text string) {
	if l.width > 0 {
		fmt.Fprint(l.w, "\r\x1b[K"+report.Begin(text, l.width-1))
		l.shown = true
	}
}

// clear erases the line before other output.
func (l *progressLine) clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// A runProgress shows the progress of repeated runs: on a terminal in one line, otherwise by a line
// for each run that has ended.
type runProgress struct {
	progressLine
	prefix string // prefix of lines
	total  int    // number of runs
	ended  int
	start  time.Time
}

func newProgress(e *cli.Env, total int) *runProgress {
	return &runProgress{progressLine: newProgressLine(e), prefix: e.Name() + ": ", total: total, start: time.Now()}
}

// begin shows that the named run begins.
func (p *runProgress) begin(name string) {
	left := time.Duration(0)
	if p.ended > 0 {
		left = time.Since(p.start) / time.Duration(p.ended) * time.Duration(p.total-p.ended)
	}
	p.show(name, left)
}

// show shows the current activity and the estimated remaining time, 0 if unknown.
func (p *runProgress) show(doing string, left time.Duration) {
	line := p.prefix + doing
	if left > 0 {
		line += ", " + left.Round(time.Second).String() + " left"
	}
	p.progressLine.show(line)
}

// end shows that the named run has ended, and how.
func (p *runProgress) end(name string, took time.Duration, failed string) {
	p.ended++
	if p.width == 0 || failed != "" {
		p.clear()
		fmt.Fprintf(p.w, "%s%s: %.2fs%s\n", p.prefix, name, took.Seconds(), failed)
	}
}

// showWaiting shows on a terminal a slow activity, after one second and until the returned function
// is called.
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

// showProgress returns a function that shows progress on a terminal, after one second. doing is the
// activity and things its objects.
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
