package pages

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// none is shown for unknown values.
const none = "–"

// functions are the functions of the templates.
var functions = template.FuncMap{
	"count":   func(n int) string { return units.Count(uint64(max(0, n))) },
	"count64": units.Count,
	"plural":  units.Plural[int],
	"shown":   shown,
	"moment":  moment,
	"day":     func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"package": packagePath,
	"href":    Path,
	"next":    func(i int) int { return i + 1 },
	"fives":   func(i int) int { return 5 * i },
	"heats":   func() []int { return colours },
	"link":    func(p *page, href, text string) navLink { return navLink{href, text, p.Nav == href} },
}

// A navLink is a link of the navigation.
type navLink struct {
	Href, Text string
	Current    bool
}

// shown prepares a text from data for display: it replaces characters that could change how others
// are shown, and cuts the middle of very long texts.
func shown(text string) string { return cut(report.Printable(text), 400) }

// cut cuts the middle of a text longer than n characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	r := []rune(text)
	return string(r[:n/2]) + " … " + string(r[len(r)-n/2:])
}

// moment formats a time to the minute.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// percent formats a share.
func percent(share float64) string {
	switch p := 100 * share; {
	case p != 0 && p < 0.1:
		return "<0.1%"
	case p > 99.9 && p < 100:
		return ">99.9%"
	case p < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(p, 'f', 1, 64), ".0") + "%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

// signed formats a relative change, as a factor from 3 on.
func signed(change float64) string {
	switch {
	case math.IsNaN(change):
		return none
	case change >= 2:
		return "×" + strconv.FormatFloat(min(change+1, 99999), 'g', 3, 64)
	}
	switch text := strconv.FormatFloat(100*change, 'f', 1, 64); {
	case text == "0.0" || text == "-0.0":
		return "±0%"
	case change > 0:
		return "+" + text + "%"
	default:
		return "−" + text[1:] + "%"
	}
}

// size formats a number of bytes.
func size(bytes float64) string {
	for _, unit := range []string{"B", "KiB", "MiB", "GiB", "TiB"} {
		if bytes < 999.5 || unit == "TiB" {
			digits := 0
			if unit != "B" && bytes < 99.95 {
				digits = 1
			}
			return strconv.FormatFloat(bytes, 'f', digits, 64) + unit
		}
		bytes /= 1024
	}
	return ""
}

// standardError returns the standard error of a marker's mean, a run counted as one call (see package
// change); ok is false if there are too few.
func standardError(m *profile.Marker) (ns float64, ok bool) {
	if m.Sampled() {
		return m.MeanSE()
	}
	n := min(m.Timed(), m.Runs)
	if n < 2 {
		return 0, false
	}
	return m.StddevNS() / math.Sqrt(float64(n-1)), true
}

// scopes formats a number of executions of a kind of marker: calls, iterations or, of other kinds, scopes.
func scopes(kind string, n uint64) string {
	noun := "scope"
	switch kind {
	case "func":
		noun = "call"
	case "loop":
		noun = "iteration"
	}
	return units.Plural(n, noun)
}

// sentence describes in words how long an execution takes.
func sentence(kind string, m *profile.Marker) string {
	one := strings.TrimPrefix(scopes(kind, 1), "1 ")
	if m.Timed() == 0 {
		if m.Count == 0 {
			return "There are no figures of it here."
		}
		return fmt.Sprintf("It ran %s; how long that took was not measured.", times(m.Count))
	}
	article := "A "
	if one == "iteration" {
		article = "An "
	}
	if m.Timed() == 1 {
		return fmt.Sprintf("%s%s took %s; it is the only one that was timed.", article, one, units.Duration(m.MeanNS()))
	}
	text := fmt.Sprintf("%s%s takes %s on average: half of them at most %s, one in a hundred %s or more, the longest %s.",
		article, one, units.Duration(m.MeanNS()), units.Duration(m.QuantileNS(0.5)), units.Duration(m.QuantileNS(0.99)), units.Duration(float64(m.MaxNS)))
	if m.QuantileNS(0.99) <= 1.05*m.QuantileNS(0.5) {
		text = fmt.Sprintf("%s%s takes %s, and almost always the same; the longest took %s.",
			article, one, units.Duration(m.MeanNS()), units.Duration(float64(m.MaxNS)))
	}
	return text
}

func times(n uint64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return units.Count(n) + " times"
}

// function splits a marker's name into the package with its dot and the rest.
func function(name, path string) (in, own string) {
	if rest, ok := strings.CutPrefix(name, path+"."); ok && path != "" {
		return path + ".", rest
	}
	return "", name
}
