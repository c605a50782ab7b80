package top

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A display shows the output to a terminal. It supports exactly the sequences of ECMA-48 and xterm
// that the view writes: others are errors, because some terminals may not support them.
type display struct {
	width, height int
	x, y          int      // cursor position
	cells         [][]rune // lines
	modes         map[string]bool
	titles        []string // stack of titles
	rest          string   // incomplete sequence
	errors        []string
}

func newDisplay(width, height int) *display {
	d := &display{modes: map[string]bool{"?7": true, "?25": true}, titles: []string{"shell"}}
	d.resize(width, height)
	return d
}

// resize changes the size and fills the screen with garbage, as a terminal may.
func (d *display) resize(width, height int) {
	d.width, d.height = width, height
	d.cells = make([][]rune, height)
	for y := range d.cells {
		d.cells[y] = []rune(strings.Repeat("#", width))
	}
}

var (
	control = regexp.MustCompile(`^\x1b\[(\??[0-9;]*)([A-Za-z])`)
	title   = regexp.MustCompile("^\x1b\\]2;([^\x07]*)\x07")
)

func (d *display) write(text string) {
	for text = d.rest + text; text != ""; {
		if m := control.FindStringSubmatch(text); m != nil {
			d.control(m[1], m[2])
			text = text[len(m[0]):]
		} else if m := title.FindStringSubmatch(text); m != nil {
			d.titles[len(d.titles)-1] = m[1]
			text = text[len(m[0]):]
		} else if text[0] == '\x1b' || !utf8.FullRuneInString(text) {
			break
		} else {
			r, n := utf8.DecodeRuneInString(text)
			d.put(r)
			text = text[n:]
		}
	}
	d.rest = text
}

// put shows a character. Beyond the edge it overwrites the last one of the line.
func (d *display) put(r rune) {
	if r < ' ' || d.x >= d.width && d.modes["?7"] {
		d.errors = append(d.errors, fmt.Sprintf("%q at %d, %d", r, d.x, d.y))
		return
	}
	d.x = min(d.x, d.width-1)
	d.cells[d.y][d.x] = r
	d.x++
}

func (d *display) control(parameters, final string) {
	erase := func(from, to, line int) {
		for x := from; x < to; x++ {
			d.cells[line][x] = ' '
		}
	}
	switch sequence := parameters + final; {
	case final == "h" && strings.HasPrefix(parameters, "?"):
		d.modes[parameters] = true
	case final == "l" && strings.HasPrefix(parameters, "?"):
		d.modes[parameters] = false
	case final == "H":
		row, column, _ := strings.Cut(parameters, ";")
		y, _ := strconv.Atoi(row)
		x, _ := strconv.Atoi(column)
		d.y, d.x = min(y, d.height)-1, min(x, d.width)-1
	case sequence == "2K":
		erase(0, d.width, d.y)
	case sequence == "J", sequence == "2J":
		from := d.y
		if sequence == "2J" {
			from = 0
		} else {
			erase(d.x, d.width, d.y)
			from++
		}
		for y := from; y < d.height; y++ {
			erase(0, d.width, y)
		}
	case final == "m": // styles are ignored
	case sequence == "22;2t":
		d.titles = append(d.titles, d.titles[len(d.titles)-1])
	case sequence == "23;2t":
		d.titles = d.titles[:len(d.titles)-1]
	default:
		d.errors = append(d.errors, "CSI "+sequence)
	}
}

// asItWas reports whether a program has restored the terminal.
func (d *display) asItWas() bool {
	return !d.modes["?1049"] && d.modes["?7"] && d.modes["?25"] && slices.Equal(d.titles, []string{"shell"})
}

// String returns the text on the screen.
func (d *display) String() string {
	lines := make([]string, d.height)
	for y := range lines {
		lines[y] = strings.TrimRight(string(d.cells[y]), " ")
	}
	return strings.Join(lines, "\n")
}

// Frames are painted over each other, and unchanged lines are not written.
func TestPaint(t *testing.T) {
	out, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const width, height = 10, 4
	d := newDisplay(width, height)
	d.write(enter)
	paint := &terminal{out: out}
	for _, frame := range []struct{ lines, written string }{
		{"one\ntwo", "\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[2;1H\x1b[2Ktwo"},
		{"one\n2", "\x1b[2;1H\x1b[2K2"},
		{"one\n2", ""},
		{"one\n2\n0123456789\n", "\x1b[3;1H\x1b[2K0123456789\x1b[4;1H\x1b[2K"},
		{"one\n2\n0123456789\nABCDEFGHIJ", "\x1b[4;1H\x1b[2KABCDEFGHIJ"},
		{"\n2\n0123456789\nABC", "\x1b[1;1H\x1b[2K\x1b[4;1H\x1b[2KABC"},
		{"…\n2", "\x1b[1;1H\x1b[2K…\x1b[3;1H\x1b[J"},
		{"\x1b[1m…\x1b[m\n2", "\x1b[1;1H\x1b[2K\x1b[1m…\x1b[m"},
		{"", "\x1b[1;1H\x1b[2K\x1b[2;1H\x1b[J"},
	} {
		if err := out.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if err := paint.paint(strings.Split(frame.lines, "\n")); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		d.write(string(written))
		shown := styles.ReplaceAllString(frame.lines, "")
		shown += strings.Repeat("\n", height-1-strings.Count(shown, "\n"))
		if string(written) != frame.written || d.String() != shown || len(d.errors) > 0 {
			t.Errorf("for %q is written %q, which shows\n%s\nwrong: %q", frame.lines, written, d, d.errors)
		}
	}
}
