package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/units"
)

// Options are the initial settings of the view. The zero value refreshes every second and sorts by
// rate.
type Options struct {
	Interval time.Duration // between readings; 0 for a second
	Sort     string        // one of Sorts; "" for the first
	Filter   string        // show markers whose names contain it, or match it as a glob
	Paths    bool          // start with the tree of call paths
	Width    int           // of the table of Once; 0 for no limit
	Color    bool          // use colour in the messages of Run
}

// leastInterval is the shortest interval: a reading takes some ms with many markers.
const leastInterval = 50 * time.Millisecond

// Check returns an error for invalid options.
func (o Options) Check() error {
	if o.Interval < 0 || o.Interval > 0 && o.Interval < leastInterval {
		return fmt.Errorf("an interval of %v can't be; the shortest is %v", o.Interval, leastInterval)
	}
	if o.Sort != "" && !slices.Contains(Sorts(), o.Sort) {
		return fmt.Errorf("unknown sort key %q; the keys are %s", o.Sort, strings.Join(Sorts(), ", "))
	}
	return nil
}

// withDefaults sets the defaults.
func (o Options) withDefaults() Options {
	if o.Interval == 0 {
		o.Interval = time.Second
	}
	if o.Sort == "" {
		o.Sort = Sorts()[0]
	}
	return o
}

// Run shows the source's process on a terminal until the user quits or a signal to end arrives; it
// returns nil then. Changes that the user makes to that process persist. Run always restores the
// terminal; but a goroutine keeps reading from in until the next key.
func Run(ctx context.Context, s Source, o Options, in, out *os.File) error {
	if err := o.Check(); err != nil {
		return err
	}
	first, err := read(s)
	if err != nil {
		return err
	}
	// No signal, not even a second one, may end this program before the terminal is restored.
	end := make(chan os.Signal, 1)
	for _, sig := range interrupt.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) {
		signal.Notify(end, sig)
	}
	defer signal.Stop(end)
	t, err := openTerminal(in, out)
	if err != nil {
		return err
	}
	defer t.close()
	err = newModel(s, first, o.withDefaults()).run(ctx, t, end)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) { // the terminal is gone
		return nil
	}
	return err
}

// A panicked is a panic in a goroutine. Run panics with it, so that the terminal is closed.
type panicked struct {
	value any
	stack []byte
}

// run shows the model and handles messages until the user quits or a signal arrives.
func (m model) run(ctx context.Context, t *terminal, end <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages := make(chan message)
	send := func(msg message) {
		select {
		case messages <- msg:
		case <-ctx.Done():
		}
	}
	background := func(do command) {
		defer func() {
			if r := recover(); r != nil {
				send(panicked{r, debug.Stack()})
			}
		}()
		send(do())
	}
	go background(func() message { return readKeys(t.in, send) })
	redraw := make(chan os.Signal, 1)
	notifyRedraw(redraw)
	defer signal.Stop(redraw)
	// The first span is short, so that data appear soon.
	clock := time.NewTimer(min(m.options.Interval, 250*time.Millisecond))
	defer clock.Stop()
	for !m.quit {
		if size, ok := t.size(); ok && (size.width != m.width || size.height != m.height) {
			m, _ = m.update(size)
			t.lines = nil
		}
		if err := t.paint(m.content()); err != nil {
			return err
		}
		var msg message
		select {
		case <-ctx.Done():
			return nil
		case <-end:
			return nil
		case <-redraw:
			if err := t.reclaim(); err != nil {
				return err
			}
			continue
		case <-clock.C:
			clock.Reset(m.options.Interval)
			msg = tick{}
		case msg = <-messages:
		}
		switch msg := msg.(type) {
		case inputEnded:
			return msg.err
		case panicked:
			panic(fmt.Sprintf("%v\n\n%s", msg.value, msg.stack))
		}
		var do command
		if m, do = m.update(msg); do != nil {
			go background(do)
		}
	}
	return nil
}

// Once writes one table: of one interval if the process is running, else of everything since the
// start of the run.
func Once(ctx context.Context, s Source, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	o = o.withDefaults()
	to, err := read(s)
	if err != nil {
		return err
	}
	var from *reading
	if to.status.Running {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.Interval):
		}
		from = to
		if to, err = read(s); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, table(from, to, o))
	return err
}

// table returns the output of Once.
func table(from, to *reading, o Options) string {
	sp := between(from, to)
	if o.Paths {
		return fmt.Sprintf("%s\n%s\n\n%s\n", stateLine(to), spanText(from, to, &sp), strings.Join(treeLines(from, to, o.Filter, o.Width), "\n"))
	}
	rows := sp.sorted(o.Sort, false, o.Filter)
	l := sp.fit(o.Width, longest(rows))
	sc := scaleFor(rows, l.bars)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n%s\n", stateLine(to), spanText(from, to, &sp), l.head(sc, o.Sort, false))
	for _, r := range rows {
		b.WriteString(l.line(&sp, r, sc) + "\n")
	}
	if len(rows) == 0 && len(sp.rows) > 0 {
		fmt.Fprintf(&b, "no name of %s matches %s\n", units.Plural(len(sp.rows), "marker"), o.Filter)
	}
	return b.String()
}
