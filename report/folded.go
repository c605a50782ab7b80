package report

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
)

// writeFolded writes the folded format of flamegraph.pl, inferno and speedscope: a line for each
// path, with the names of its markers separated by semicolons, and its self time in ns.
func writeFolded(w *bufio.Writer, p *profile.Profile, _ []*profile.Marker, _ Options) error {
	if p.Paths == nil {
		return errNoPaths
	}
	nodes, _ := pathTree(p)
	var names []string // of the node and those around it
	depth := make([]int, len(nodes))
	for i, n := range nodes { // the nodes inside a node follow it
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		names = append(names[:depth[i]], strings.ReplaceAll(n.labelled(n.marker.Name), ";", ","))
		w.WriteString(strings.Join(names, ";"))
		w.WriteByte(' ')
		w.WriteString(strconv.FormatUint(n.ownNS, 10))
		w.WriteByte('\n')
	}
	return nil
}
