package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// leastShare is the share of the whole below which the text format leaves out paths.
const leastShare = 0.01

// writePaths writes the calling context tree: a line for each path with at least leastShare of the
// time, indented below the one that contains it.
func writePaths(w *bufio.Writer, p *profile.Profile, o Options) {
	title := ink(o.Color).paint(strong, "by call path")
	nodes, roots := pathTree(p)
	if all := widthOf(roots); all > p.ElapsedNS && p.ElapsedNS > 0 {
		title += ", in parts of the " + units.WholeDuration(all) + " of all goroutines together"
	}
	if slices.ContainsFunc(nodes, func(n *pathNode) bool { return n.overlaps }) {
		title += "; recursive calls are on the path of the first, and shares below it of self times"
	}
	fmt.Fprintln(w, title)
	writePathTree(w, p, o)
	w.WriteByte('\n')
}

// PathLines returns the tree of the profile's call paths as the text format has it, with lines of at
// most width characters; 0 is no limit. The first line is the header.
func PathLines(p *profile.Profile, width int) []string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	o := Options{Width: width}
	o.common = commonPartOf(sorted(p, ""))
	writePathTree(w, p, o)
	w.Flush()
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// writePathTree writes the header and the lines.
func writePathTree(w *bufio.Writer, p *profile.Profile, o Options) {
	_, roots := pathTree(p)
	t := textPaths{Writer: w, o: o, noSelf: p.NoSelf, whole: float64(widthOf(roots))}
	fmt.Fprintln(w, ink(o.Color).paint(faint, t.figures("share", "total", "self", "count")+"path"))
	t.list(roots, "")
}

// widthOf returns the sum of the widths.
func widthOf(nodes []*pathNode) (ns uint64) {
	for _, n := range nodes {
		ns = profile.Add64(ns, n.widthNS)
	}
	return ns
}

// textPaths writes the lines of a tree.
type textPaths struct {
	*bufio.Writer
	o      Options
	noSelf bool
	whole  float64 // width of all roots, ns
}

// list writes the nodes with what is below them, and a line for those that are left out, if they are
// much together.
func (t *textPaths) list(nodes []*pathNode, indent string) {
	for i, n := range nodes {
		if float64(n.widthNS) < leastShare*t.whole {
			if rest := float64(widthOf(nodes[i:])); rest >= leastShare*t.whole {
				t.line(t.figures(percentOf(rest, t.whole), "", "", ""), indent, "", "… "+units.Plural(len(nodes)-i, "path")+" of less than 1% each")
			}
			return
		}
		start := indent
		if n.Go {
			start += "go "
		}
		share, total, self := percentOf(float64(n.widthNS), t.whole), none, none
		if n.Count > 0 { // otherwise no scope has ended
			total, self = units.WholeDuration(n.totalNS), units.WholeDuration(n.SelfNS)
		}
		t.line(t.figures(share, total, self, units.Count(n.Count)), start, t.o.common.cut(n.marker.Name), n.labelled(""))
		t.list(n.children, indent+"  ")
	}
}

// figures returns the columns before a name.
func (t *textPaths) figures(share, total, self, count string) string {
	if t.noSelf {
		return fmt.Sprintf("%6s %8s %12s  ", share, total, count)
	}
	return fmt.Sprintf("%6s %8s %8s %12s  ", share, total, self, count)
}

// line writes a line, in which the name is shortened to fit.
func (t *textPaths) line(figures, indent, name, rest string) {
	if t.o.Width > 0 {
		name = shorten(name, max(t.o.Width-width(figures)-width(indent)-width(rest), 8))
	}
	t.WriteString(figures + indent + name + rest + "\n")
}
