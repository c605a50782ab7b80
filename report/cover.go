package report

import (
	"bufio"
	"cmp"
	"fmt"

	"github.com/markgen/markgen/profile"
)

// modes are the modes of a coverage profile.
var modes = []string{"set", "count", "atomic"}

// writeCover writes a coverage profile as go test -coverprofile does:
//
//	mode: count
//	import/path/file.go:line.col,line.col statements count
//
// sorted by file and position. In mode set an executed block has count 1.
func writeCover(w *bufio.Writer, p *profile.Profile, _ []*profile.Marker, o Options) error {
	mode := cmp.Or(o.Mode, "count")
	fmt.Fprintf(w, "mode: %s\n", mode)
	for _, b := range p.Blocks {
		n := b.Count
		if mode == "set" {
			n = min(n, 1)
		}
		fmt.Fprintf(w, "%s:%d.%d,%d.%d %d %d\n", b.File, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt, n)
	}
	return nil
}
