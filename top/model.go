package top

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/units"
)

// Spans that may be shown.
const (
	sinceLast  = iota // the latest interval
	sinceReset        // since the reset key was pressed, or the view began
	sinceStart        // since the start of the run
	spans
)

// model is the state of the view.
type model struct {
	source  Source
	options Options

	first, last, now *reading // at the reset; one before now; the latest
	shown            int      // since…
	span             span     // that is shown
	rows             []*row   // of span, filtered and in order
	longest          int      // name of rows
	order            string
	reversed         bool

	cursor registry.ID // of the marker that keys turn on and off
	top    int         // index of the first row on the screen

	filter    textinput.Model
	filtering bool
	help      bool
	message   string // what the latest key did, or what went wrong
	ended     bool
	reading   bool // one is being taken

	width, height int
}

func newModel(s Source, first *reading, o Options) model {
	m := model{source: s, options: o, first: first, now: first, order: o.Sort, width: 80, height: 24, filter: textinput.New()}
	m.filter.Prompt = "filter: "
	m.filter.SetValue(o.Filter)
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

// Messages.
type (
	tick     struct{}
	readDone struct {
		r   *reading
		err error
	}
	steered struct {
		what string
		err  error
	}
)

// Init starts the clock. After the first reading a short wait gives the first span.
func (m model) Init() tea.Cmd {
	if m.ended {
		return nil
	}
	return tea.Tick(min(m.options.Interval, 250*time.Millisecond), func(time.Time) tea.Msg { return tick{} })
}

func (m model) tick() tea.Cmd {
	return tea.Tick(m.options.Interval, func(time.Time) tea.Msg { return tick{} })
}

func (m model) read() tea.Msg {
	r, err := read(m.source)
	return readDone{r, err}
}

// Update takes in what happened.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.scroll()
	case tick:
		if m.ended {
			return m, nil
		}
		if m.reading { // a key has asked for one
			return m, m.tick()
		}
		m.reading = true
		return m, tea.Batch(m.read, m.tick())
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
	case tea.KeyPressMsg:
		if m.filtering {
			return m.filterKey(msg)
		}
		return m.key(msg)
	}
	return m, nil
}

// statusDone brings how the run stands after it was steered, without its figures.
type statusDone struct {
	status steer.Status
	on     map[string]bool
	err    error
}

func (m model) status() tea.Msg {
	st, err := m.source.Status()
	on, err2 := m.source.On()
	return statusDone{st, on, errors.Join(err, err2)}
}

// take makes a reading the latest. When the process has ended, the last figures stay.
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

// from is the reading that the shown span begins with; nil is the start of the run.
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

// refresh works out what is shown of the readings.
func (m *model) refresh() {
	m.span = between(m.from(), m.now)
	m.rows = m.span.sorted(m.order, m.reversed, m.filter.Value())
	m.longest = longest(m.rows)
	m.scroll()
}

// at is the index of the row that the cursor is on, that of the first if its marker is
// not among the rows.
func (m *model) at() int {
	return max(0, slices.IndexFunc(m.rows, func(r *row) bool { return r.all.ID == m.cursor }))
}

// move puts the cursor so many rows further down.
func (m *model) move(by int) {
	if len(m.rows) == 0 {
		return
	}
	i := min(max(m.at()+by, 0), len(m.rows)-1)
	m.cursor = m.rows[i].all.ID
	m.scroll()
}

// scroll keeps the cursor on the screen.
func (m *model) scroll() {
	i, page := m.at(), m.page()
	m.top = min(max(m.top, i-page+1), i)
	m.top = max(0, min(m.top, len(m.rows)-page))
}

// page is how many rows there is room for.
func (m *model) page() int { return max(1, m.height-linesAround) }

// key does what a key is for.
func (m model) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	key := msg.String()
	if m.help && key != "q" && key != "ctrl+c" {
		m.help = false
		return m, nil
	}
	switch key {
	case "q", "ctrl+c":
		return m, tea.Quit
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-m.page())
	case "pgdown", "ctrl+f":
		m.move(m.page())
	case "home", "g":
		m.move(-len(m.rows))
	case "end", "G":
		m.move(len(m.rows))
	case "left", "<":
		m.sortBy(-1)
	case "right", ">":
		m.sortBy(1)
	case "i":
		m.reversed = !m.reversed
		m.refresh()
	case "N", "R", "C", "S", "T", "M", "P", "A":
		m.order = sortKeys[key]
		m.refresh()
	case "t":
		m.shown = (m.shown + 1) % spans
		m.refresh()
	case "z":
		m.first, m.last = m.now, nil
		m.message = "differences begin anew"
		if m.shown == sinceStart {
			m.shown = sinceReset
		}
		m.refresh()
	case "/":
		m.filtering = true
		return m, m.filter.Focus()
	case "esc":
		m.filter.SetValue("")
		m.message = ""
		m.refresh()
	case "?", "h":
		m.help = true
	case "space", " ":
		return m, m.toggle()
	case "p":
		return m, m.do("pause")
	case "r":
		return m, m.do("resume")
	case "+", "=":
		return m, m.sample(10)
	case "-":
		return m, m.sample(0.1)
	case "o", "enter":
		return m, m.turn()
	}
	return m, nil
}

// sortKeys are the letters by which orders are chosen.
var sortKeys = map[string]string{"N": byName, "R": "rate", "C": "count", "S": "self", "T": "total", "M": "mean", "P": "p99", "A": "all"}

// sortBy chooses the next order, or the one before.
func (m *model) sortBy(by int) {
	names := Sorts()
	m.order = names[(slices.Index(names, m.order)+by+len(names))%len(names)]
	m.refresh()
}

// filterKey is for keys while the filter is typed. It holds at once; esc takes it back.
func (m model) filterKey(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch msg.String() {
	case "ctrl+c":
		return m, tea.Quit
	case "esc":
		m.filter.SetValue("")
		fallthrough
	case "enter":
		m.filtering = false
		m.filter.Blur()
		m.refresh()
		return m, nil
	}
	var cmd tea.Cmd
	m.filter, cmd = m.filter.Update(msg)
	m.refresh()
	return m, cmd
}

// steer changes something in the process, beside the view.
func (m model) steer(what string, do func() error) tea.Cmd {
	return func() tea.Msg { return steered{what, do()} }
}

func (m model) do(verb string) tea.Cmd {
	return m.steer(verb+": done", func() error { return m.source.Do(verb) })
}

// toggle does what is allowed in the state.
func (m model) toggle() tea.Cmd {
	switch m.now.status.State {
	case steer.Configured:
		return m.do("start")
	case steer.Paused:
		return m.do("resume")
	}
	return m.do("pause")
}

// sample has the rate of sampling changed by a factor.
func (m model) sample(factor float64) tea.Cmd {
	n := uint64(min(max(1, math.Round(float64(max(1, m.now.status.Sample))*factor)), 1e12))
	return m.steer("1 passage in "+units.Count(n), func() error { return m.source.Sample(n) })
}

// turn turns the marker that the cursor is on.
func (m model) turn() tea.Cmd {
	if len(m.rows) == 0 {
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
