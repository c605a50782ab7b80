package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
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

func newProgress(e *cli.Env, total int) *runProgress {
	p := &runProgress{w: e.Stderr, prefix: "markgen " + e.Command() + ": ", total: total, start: time.Now()}
	if e.Getenv("TERM") != "dumb" {
		p.width, _ = e.Terminal(e.Stderr)
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
	fmt.Fprint(p.w, "\r\x1b[K"+report.Begin(line, p.width-1))
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

// showWaiting shows on a terminal what takes long, after a second and until the function that it returns is called; elsewhere it does nothing.
func showWaiting(e *cli.Env, doing string) (ended func()) {
	f, ok := e.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	start, end, over := time.Now(), make(chan bool), make(chan bool)
	go func() {
		defer close(over)
		for tick := time.Tick(time.Second); ; {
			select {
			case now := <-tick:
				fmt.Fprintf(f, "\rmarkgen: %s, %s", doing, now.Sub(start).Round(time.Second))
			case <-end:
				if time.Since(start) > time.Second {
					fmt.Fprint(f, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(end)
		<-over
	}
}

// showProgress returns a function that shows how far something is, on a terminal and when it takes over a second; elsewhere
// it does nothing. The first word says what is done, the second with what.
func showProgress(e *cli.Env, doing, things string) func(done, total int) {
	f, ok := e.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int, int) {}
	}
	start, shown := time.Now(), time.Time{}
	return func(done, total int) {
		now := time.Now()
		switch {
		case done == total && !shown.IsZero():
			fmt.Fprint(f, "\r\x1b[K")
		case now.Sub(start) > time.Second && now.Sub(shown) > 100*time.Millisecond && done < total:
			fmt.Fprintf(f, "\rmarkgen: %s, %d of %d %s", doing, done, total, things)
			shown = now
		}
	}
}
