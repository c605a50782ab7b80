package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/markgen/markgen/units"
)

// Options say how the view begins. The zero value refreshes every second and sorts
// by rate.
type Options struct {
	Interval time.Duration // between two readings; 0 is a second
	Sort     string        // one of Sorts; "" is the first of them
	Filter   string        // markers whose names contain it, or that it matches as a glob
	Width    int           // of Once's table; 0 is no limit
}

// Shortest interval there may be: a reading takes some ms with many markers.
const leastInterval = 50 * time.Millisecond

// Check returns an error for options that can't be obeyed.
func (o Options) Check() error {
	if o.Interval < 0 || o.Interval > 0 && o.Interval < leastInterval {
		return fmt.Errorf("an interval of %v can't be; the shortest is %v", o.Interval, leastInterval)
	}
	if o.Sort != "" && !slices.Contains(Sorts(), o.Sort) {
		return fmt.Errorf("unknown sort key %q; the keys are %s", o.Sort, strings.Join(Sorts(), ", "))
	}
	return nil
}

// withDefaults fills in what was not said.
func (o Options) withDefaults() Options {
	if o.Interval == 0 {
		o.Interval = time.Second
	}
	if o.Sort == "" {
		o.Sort = Sorts()[0]
	}
	return o
}

// Run shows the process on a terminal until the user quits. What the user's keys
// change is changed in the process; it goes on when the view has ended.
func Run(ctx context.Context, s Source, o Options, in io.Reader, out io.Writer, environ []string) error {
	if err := o.Check(); err != nil {
		return err
	}
	first, err := read(s)
	if err != nil {
		return err
	}
	_, err = tea.NewProgram(newModel(s, first, o.withDefaults()), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ)).Run()
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil {
		return nil
	}
	return err
}

// Once writes one table of all that was collected since the start of the run, or, if
// the process lives, of one interval.
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

// table is what Once writes.
func table(from, to *reading, o Options) string {
	sp := between(from, to)
	rows := sp.sorted(o.Sort, false, o.Filter)
	l := sp.fit(o.Width, longest(rows))
	sc := scaleFor(rows, l.bars)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n%s\n", stateLine(to), spanText(from, to, &sp), l.head(sc, o.Sort, false))
	for _, r := range rows {
		b.WriteString(l.line(&sp, r, sc) + "\n")
	}
	if len(rows) == 0 && len(sp.rows) > 0 {
		fmt.Fprintf(&b, "none of %s has %s in its name\n", units.Plural(len(sp.rows), "marker"), o.Filter)
	}
	return b.String()
}
