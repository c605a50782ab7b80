package top

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/units"
)

// Spans that can be shown.
const (
	sinceLast  = iota // the latest interval
	sinceReset        // since the reset key was pressed, or the view began
	sinceStart        // since the start of the run
	numSpans
)

// model is the state of the view.
type model struct {
	source  Source
	options Options

	first, last, now *reading // at the reset; the one before now; the latest
	shown            int      // one of the spans above
	span             span     // the shown span
	rows             []*row   // rows of span, filtered and sorted
	longest          int      // length of the longest name in rows
	order            string
	reversed         bool

	cursor registry.ID // marker that keys turn on and off
	top    int         // index of the first visible row

	tree    bool     // the call paths are shown instead of the rows
	lines   []string // of the tree, the header first
	treeTop int      // number of lines scrolled off

	filter    field
	filtering bool
	help      bool
	message   string // result of the latest key, or an error
	ended     bool   // the process has ended
	reading   bool   // a reading is in progress
	quit      bool   // the view should end

	width, height int
}

func newModel(s Source, first *reading, o Options) model {
	m := model{source: s, options: o, first: first, now: first, order: o.Sort, tree: o.Paths, width: 80, height: 24, filter: field{before: o.Filter}}
	m.ended = !first.status.Running
	if m.ended {
		m.shown = sinceStart
		m.message = endedMessage(first)
	}
	m.refresh()
	return m
}

func endedMessage(r *reading) string {
	return fmt.Sprintf("process %d has ended; these are its last figures", r.status.PID)
}

// A message is an event: one of the types below, or a key.
type message any

type (
	tick     struct{} // the interval has elapsed
	size     struct{ width, height int }
	readDone struct {
		r   *reading
		err error
	}
	steered struct {
		what string
		err  error
	}
	// statusDone brings the status after steering, without a new profile.
	statusDone struct {
		status steer.Status
		on     map[string]bool
		err    error
	}
)

// A command runs concurrently with the view, which receives the message that it returns.
type command func() message

func (m model) read() message {
	r, err := read(m.source)
	return readDone{r, err}
}

// update handles a message, and returns the command to run next, or nil.
func (m model) update(msg message) (model, command) {
	switch msg := msg.(type) {
	case size:
		m.width, m.height = msg.width, msg.height
		m.scroll()
		if m.tree {
			m.refresh()
		}
	case tick:
		if !m.reading && !m.ended { // otherwise a key has started one
			m.reading = true
			return m, m.read
		}
	case readDone:
		m.reading = false
		m.take(msg)
	case steered:
		m.message = msg.what
		if msg.err != nil {
			m.message = msg.err.Error()
		}
		if !m.reading && !m.ended {
			m.reading = true
			return m, m.status
		}
	case statusDone:
		m.reading = false
		if msg.err == nil {
			now := *m.now
			now.status, now.on = msg.status, msg.on
			m.now = &now
			m.refresh()
		}
	case key:
		if m.filtering {
			return m.filterKey(msg), nil
		}
		return m.key(msg)
	}
	return m, nil
}

func (m model) status() message {
	st, err := m.source.Status()
	on, err2 := m.source.On()
	return statusDone{st, on, errors.Join(err, err2)}
}

// take makes a reading the latest. If the process has ended, the view shows the data since its
// start.
func (m *model) take(msg readDone) {
	if msg.err != nil {
		m.message = msg.err.Error()
		return
	}
	m.last, m.now = m.now, msg.r
	if !msg.r.status.Running {
		m.ended = true
		m.shown = sinceStart
		m.message = endedMessage(msg.r)
	}
	m.refresh()
}

// from returns the reading at the start of the shown span; nil for the start of the run.
func (m *model) from() *reading {
	switch m.shown {
	case sinceLast:
		if m.last == nil {
			return m.first
		}
		return m.last
	case sinceReset:
		return m.first
	}
	return nil
}

// refresh recomputes the shown rows from the readings.
func (m *model) refresh() {
	m.span = between(m.from(), m.now)
	m.rows = m.span.sorted(m.order, m.reversed, m.filter.text())
	m.longest = longest(m.rows)
	m.scroll()
	if m.tree {
		m.lines = treeLines(m.from(), m.now, m.filter.text(), m.width)
		m.moveTree(0)
	}
}

// at returns the index of the row with the cursor; 0 if its marker has no row.
func (m *model) at() int {
	return max(0, slices.IndexFunc(m.rows, func(r *row) bool { return r.all.ID == m.cursor }))
}

// move moves the cursor down by some rows.
func (m *model) move(by int) {
	if m.tree {
		m.moveTree(by)
		return
	}
	if len(m.rows) == 0 {
		return
	}
	i := min(max(m.at()+by, 0), len(m.rows)-1)
	m.cursor = m.rows[i].all.ID
	m.scroll()
}

// scroll keeps the cursor visible.
func (m *model) scroll() {
	i, page := m.at(), m.page()
	m.top = min(max(m.top, i-page+1), i)
	m.top = max(0, min(m.top, len(m.rows)-page))
}

// page returns the number of rows that fit on the screen.
func (m *model) page() int { return max(1, m.height-linesAround) }

// key handles a key.
func (m model) key(k key) (model, command) {
	if m.help && k != "q" && k != "ctrl+c" {
		m.help = false
		return m, nil
	}
	switch k {
	case "q", "ctrl+c":
		m.quit = true
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-m.page())
	case "pgdown", "ctrl+f":
		m.move(m.page())
	case "home", "g":
		m.move(-len(m.rows) - len(m.lines))
	case "end", "G":
		m.move(len(m.rows) + len(m.lines))
	case "left", "<":
		m.sortBy(-1)
	case "right", ">":
		m.sortBy(1)
	case "i":
		m.reversed = !m.reversed
		m.refresh()
	case "N", "R", "C", "S", "T", "M", "P", "A":
		m.order = sortKeys[k]
		m.refresh()
	case "t":
		m.shown = (m.shown + 1) % numSpans
		m.refresh()
	case "c":
		m.tree, m.treeTop = !m.tree, 0
		m.refresh()
	case "z":
		m.first, m.last = m.now, nil
		m.message = "differences restart"
		if m.shown == sinceStart {
			m.shown = sinceReset
		}
		m.refresh()
	case "/":
		m.filtering = true
	case "esc":
		m.filter = field{}
		m.message = ""
		m.refresh()
	case "?", "h":
		m.help = true
	case " ":
		return m, m.toggle()
	case "p":
		return m, m.do("pause")
	case "r":
		return m, m.do("resume")
	case "+", "=":
		return m, m.sample(0.1)
	case "-":
		return m, m.sample(10)
	case "o", "enter":
		return m, m.toggleMarker()
	}
	return m, nil
}

// sortKeys are the keys that select a sort order.
var sortKeys = map[key]string{"N": byName, "R": "rate", "C": "count", "S": "self", "T": "total", "M": "mean", "P": "p99", "A": "all"}

// sortBy selects the next or previous sort order.
func (m *model) sortBy(by int) {
	names := Sorts()
	m.order = names[(slices.Index(names, m.order)+by+len(names))%len(names)]
	m.refresh()
}

// filterKey handles keys while the filter is edited. It applies immediately; esc clears it.
func (m model) filterKey(k key) model {
	switch k {
	case "ctrl+c":
		m.quit = true
	case "esc":
		m.filter, m.filtering = field{}, false
	case "enter":
		m.filtering = false
	default:
		m.filter = m.filter.typed(k)
	}
	m.refresh()
	return m
}

// steer returns a command that changes something in the process.
func (m model) steer(what string, do func() error) command {
	return func() message { return steered{what, do()} }
}

func (m model) do(verb string) command {
	return m.steer(verb+": done", func() error { return m.source.Do(verb) })
}

// toggle starts, resumes or pauses, depending on the state.
func (m model) toggle() command {
	switch m.now.status.State {
	case steer.Configured:
		return m.do("start")
	case steer.Paused:
		return m.do("resume")
	}
	return m.do("pause")
}

// sample returns a command that changes the sampling rate by a factor.
func (m model) sample(factor float64) command {
	n := uint64(min(max(1, math.Round(float64(max(1, m.now.status.Sample))*factor)), 1e12))
	return m.steer("1 scope in "+units.Count(n), func() error { return m.source.Sample(n) })
}

// toggleMarker returns a command that turns the marker under the cursor on or off.
func (m model) toggleMarker() command {
	if len(m.rows) == 0 || m.tree {
		return nil
	}
	r := m.rows[m.at()]
	name, on := r.all.Name, r.off
	what := report.Printable(name) + " is off"
	if on {
		what = report.Printable(name) + " is on"
	}
	return m.steer(what, func() error { return m.source.Turn(name, on) })
}
