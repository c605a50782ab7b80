package top

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// linesAround is the number of lines besides rows: two above the header, the header, the message,
// and the help.
const linesAround = 5

// SGR parameters, ECMA-48 8.3.117.
const (
	strong   = "1"
	faint    = "2"
	alarm    = "33"
	selected = "7"
)

// styled returns text in the style.
func styled(style, text string) string {
	if text == "" {
		return ""
	}
	return "\x1b[" + style + "m" + text + "\x1b[m"
}

const helpLine = "space pause  ←→ sort  / filter  o off  +- sample  t span  c tree  ? help  q quit"

const helpText = `space        pause; resume, or start, when it is paused or waits
p r          pause, resume
+ -          sample ten times more, ten times fewer scopes
o enter      turn the marker on or off; one that is off is in [brackets]
↑ ↓ pgup pgdn home end     go to another marker
← → < >      sort by another column; i turns the order round
R C S T M P A N            by rate count self total mean p99 all name
/            filter: a part of the name or a glob; esc shows all again
c            the tree of call paths, where they are recorded; and back
t            figures of the last interval, since the reset, since the start
z            reset: differences begin now
q            quit; the program goes on as it is

rate         scopes a second      count   scopes in the span
self         time in the marker itself, of the span; above 100% with
             several goroutines
all          scopes since the start; ~ is before estimates, of samples
The last column is how the times are spread: bars of a factor of two
or more, between the times above it; heights are logarithmic.`

// content returns the lines of the screen: at most height lines of at most width characters. It
// formats visible rows only.
func (m model) content() []string {
	cut := func(line string) string { return report.Begin(line, m.width) }
	lines := []string{styled(strong, cut(stateLine(m.now))), cut(m.spanLine())}
	if m.help {
		for line := range strings.Lines(helpText) {
			lines = append(lines, cut(strings.TrimRight(line, "\n")))
		}
		return lines[:min(len(lines), max(1, m.height))]
	}
	if m.tree {
		lines = append(lines, m.treePage()...)
	} else {
		lines = append(lines, m.table()...)
	}
	lines = append(lines, m.footLines()...)
	return lines[:min(len(lines), max(1, m.height))]
}

// table returns the header and the visible rows.
func (m model) table() []string {
	cut := func(line string) string { return report.Begin(line, m.width) }
	l := m.span.fit(m.width, m.longest)
	sc := scaleFor(m.rows, l.bars)
	lines := []string{styled(strong, cut(l.head(sc, m.order, m.reversed)))}
	at := m.at()
	for i := m.top; i < m.top+m.page(); i++ {
		if i >= len(m.rows) {
			lines = append(lines, "")
			continue
		}
		line := cut(l.line(&m.span, m.rows[i], sc))
		switch {
		case i == at:
			line = styled(selected, line)
		case m.rows[i].in.Count == 0:
			line = styled(faint, line)
		}
		lines = append(lines, line)
	}
	return lines
}

// footLines returns the message, or the filter that is edited, and the help.
func (m model) footLines() []string {
	said := report.Begin(report.Printable(m.message), m.width)
	switch {
	case m.filtering:
		said = m.filter.line("filter: ", m.width)
	case m.options.Color:
		said = styled(alarm, said)
	}
	return []string{said, styled(faint, report.Begin(helpLine, m.width))}
}

// line returns the prompt and the field with its cursor, scrolled so that the cursor is visible.
func (f field) line(prompt string, width int) string {
	text := []rune(report.Printable(prompt + f.text() + " "))
	cursor := utf8.RuneCountInString(prompt + f.before)
	hidden := max(0, cursor-width+1)
	text, cursor = text[hidden:min(len(text), hidden+width)], cursor-hidden
	return string(text[:cursor]) + styled(selected, string(text[cursor])) + string(text[cursor+1:])
}

// spanLine describes the span shown, and the filter.
func (m model) spanLine() string {
	text := spanText(m.from(), m.now, &m.span)
	if filter := m.filter.text(); filter != "" {
		text += fmt.Sprintf("  filter %q: %s", filter, units.Plural(len(m.rows), "marker"))
	}
	return text
}

// spanText describes a span.
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
