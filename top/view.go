package top

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// linesAround is how many lines there are besides rows: two above the head, the head,
// the message, the help.
const linesAround = 5

var (
	strong   = lipgloss.NewStyle().Bold(true)
	faint    = lipgloss.NewStyle().Faint(true)
	alarm    = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	selected = lipgloss.NewStyle().Reverse(true)
)

const helpLine = "space pause  ←→ sort  / filter  o on/off  +- sample  t span  ? help  q quit"

const helpText = `space        pause; resume, or start, when it is paused or waits
p r          pause, resume
+ -          sample ten times fewer, ten times more passages
o enter      turn the marker on or off; one that is off is in [brackets]
↑ ↓ pgup pgdn home end     go to another marker
← → < >      sort by another column; i turns the order round
R C S T M P A N            by rate count self total mean p99 all name
/            filter: a part of the name or a glob; esc shows all again
t            figures of the last interval, since the reset, since the start
z            reset: differences begin now
q            quit; the program goes on as it is

rate         passages a second      count   passages in the span
self         time in the marker itself, of the span; above 100% with
             several goroutines
all          passages since the start; ~ is before estimates, of samples
The last column is how the times are spread: bars of a factor of two
or more, between the times above it.`

// View draws the screen. Only rows that are on it are written.
func (m model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.WindowTitle = "markgen top"
	return v
}

func (m model) content() string {
	lines := []string{strong.Render(ansi.Truncate(stateLine(m.now), m.width, "…")), ansi.Truncate(m.spanLine(), m.width, "…")}
	if m.help {
		for line := range strings.Lines(helpText) {
			lines = append(lines, ansi.Truncate(strings.TrimRight(line, "\n"), m.width, "…"))
		}
		return strings.Join(lines[:min(len(lines), max(1, m.height))], "\n")
	}
	l := m.span.fit(m.width, m.longest)
	sc := scaleFor(m.rows, l.bars)
	lines = append(lines, strong.Render(ansi.Truncate(l.head(sc, m.order, m.reversed), m.width, "…")))
	at := m.at()
	for i := m.top; i < m.top+m.page(); i++ {
		if i >= len(m.rows) {
			lines = append(lines, "")
			continue
		}
		line := ansi.Truncate(l.line(&m.span, m.rows[i], sc), m.width, "…")
		switch {
		case i == at:
			line = selected.Render(line)
		case m.rows[i].in.Count == 0:
			line = faint.Render(line)
		}
		lines = append(lines, line)
	}
	switch {
	case m.filtering:
		lines = append(lines, ansi.Truncate(m.filter.View(), m.width, "…"))
	default:
		lines = append(lines, alarm.Render(ansi.Truncate(report.Printable(m.message), m.width, "…")))
	}
	lines = append(lines, faint.Render(ansi.Truncate(helpLine, m.width, "…")))
	return strings.Join(lines[:min(len(lines), max(1, m.height))], "\n")
}

// spanLine says of which span the figures are, and what is shown of it.
func (m model) spanLine() string {
	text := spanText(m.from(), m.now, &m.span)
	if filter := m.filter.Value(); filter != "" {
		text += fmt.Sprintf("  filter %q: %s", filter, units.Plural(len(m.rows), "marker"))
	}
	return text
}

// spanText says of which span figures are.
func spanText(from, to *reading, s *span) string {
	if from == nil {
		if s.took == 0 {
			return "figures since the start"
		}
		if !to.status.Running {
			return "figures of the run, of " + units.Duration(float64(s.took))
		}
		return "figures since the start, " + units.Duration(float64(s.took)) + " ago"
	}
	if from.profile == to.profile {
		return "figures follow"
	}
	return "figures of the last " + units.Duration(float64(s.took))
}
