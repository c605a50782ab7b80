package report

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// maxDetails is the size of collapsed text, in bytes, at which it is cut: GitHub takes comments of
// 65,536 characters.
const maxDetails = 40_000

// mostMarkdown is the number of rows of a table in the markdown format without Top: a screen.
const mostMarkdown = 15

// markdownColumns are the columns of the text report that the markdown format has.
var markdownColumns = []string{"name", "count", "total", "self", "share", "mean", "p99", "place"}

// writeMarkdown writes the markers that matter most as a table for a pull request, and the whole
// text report collapsed below it.
func writeMarkdown(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	o.common = commonPartOf(sorted(p, ""))
	shown := markers[:min(len(markers), mostMarkdown)]
	if o.Top > 0 {
		shown = markers[:min(len(markers), o.Top)]
	}
	fmt.Fprintf(w, "### markgen: %s\n\n", markdownText(joined(", ", p.App, units.Plural(p.Runs, "run"), summary(p, o.Sort))))
	if o.common != "" {
		fmt.Fprintf(w, "Names begin with %s.\n\n", markdownCode(string(o.common)))
	}
	columns := slices.DeleteFunc(columnsOf(p, shown, Options{common: o.common}), func(c column) bool { return !slices.Contains(markdownColumns, c.name) })
	for i := range columns {
		c := &columns[i]
		for _, m := range shown {
			cell := c.text(m)
			if !c.left {
				cell = markdownText(cell)
			} else if cell != "" {
				cell = markdownCode(cell)
			}
			c.cells = append(c.cells, cell)
		}
	}
	writeMarkdownTable(w, columns)
	if more := len(markers) - len(shown); more > 0 {
		fmt.Fprintf(w, "And %s.\n\n", units.Plural(more, "other marker"))
	}
	text := o
	text.Top, text.Width, text.Color = 0, 0, false
	return writeDetails(w, "The whole report", func(w *bufio.Writer) error { return writeText(w, p, markers, text) })
}

// writeMarkdownTable writes a table whose cells are markdown, if it has rows.
func writeMarkdownTable(w *bufio.Writer, columns []column) {
	rows := len(columns[0].cells)
	if rows == 0 {
		return
	}
	for _, c := range columns {
		fmt.Fprintf(w, "| %s ", c.name)
	}
	w.WriteString("|\n")
	for _, c := range columns {
		w.WriteString(map[bool]string{true: "| --- ", false: "| ---: "}[c.left])
	}
	w.WriteString("|\n")
	for i := range rows {
		for _, c := range columns {
			fmt.Fprintf(w, "| %s ", c.cells[i])
		}
		w.WriteString("|\n")
	}
	w.WriteByte('\n')
}

// writeDetails writes text that is collapsed until the reader opens it, cut at maxDetails.
func writeDetails(w *bufio.Writer, title string, write func(w *bufio.Writer) error) error {
	var text bytes.Buffer
	b := bufio.NewWriter(&text)
	if err := write(b); err != nil {
		return err
	}
	b.Flush()
	whole := html.EscapeString(text.String())
	if len(whole) > maxDetails {
		whole = whole[:strings.LastIndexByte(whole[:maxDetails], '\n')+1] + "… the rest is too long for a comment; -format text has it\n"
	}
	fmt.Fprintf(w, "<details><summary>%s</summary>\n\n<pre>\n", html.EscapeString(title))
	io.WriteString(w, whole)
	_, err := io.WriteString(w, "</pre>\n\n</details>\n")
	return err
}

// markdownCode returns text as code, in a cell of a table, too.
func markdownCode(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", `\|`).Replace(printable(text)) + "`"
}

// markdownText returns text without what markdown would take for markup.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range printable(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&@!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
