package rewrite

import (
	"bytes"
	"go/token"

	"github.com/markgen/markgen/rewrite/cover"
	"github.com/markgen/markgen/rewrite/gc"
)

// A BlockCount is a basic block as `go test -cover` counts them, and how often it ran.
type BlockCount struct {
	cover.Block
	N uint64
}

// BlockCounts returns the basic blocks of a file, with positions in its marked text, whose counts
// follow from those of its markers (see cover.Counts). The unit was loaded from blanked texts (see
// inplace.Blank), and Find has found its points. scope returns what is known of a point.
func (u *Unit) BlockCounts(name string, marked []byte, release gc.Release, scope func(*Point) (cover.Scope, bool)) []BlockCount {
	var list []BlockCount
	for _, f := range u.files {
		if f.Name != name {
			continue
		}
		blocks := cover.BlocksWithout(blankedLines(marked, f.Text), u.fset, f.ast, f.Text, release)
		points := map[token.Pos]*Point{}
		for _, p := range u.Points {
			if p.f == f && p.from.IsValid() {
				points[p.from] = p
			}
		}
		counts := cover.Counts(f.ast, blocks, func(body token.Pos) (cover.Scope, bool) {
			if p := points[body]; p != nil {
				return scope(p)
			}
			return cover.Scope{}, false
		})
		for i, b := range blocks {
			if counts[i].Known {
				list = append(list, BlockCount{b, counts[i].N})
			}
		}
	}
	return list
}

// blankedLines returns the numbers of the lines that are blank in one text and not in the other,
// which has the same lines.
func blankedLines(marked, blanked []byte) map[int]bool {
	lines := map[int]bool{}
	n := 0
	for line := range bytes.Lines(marked) {
		n++
		now := blanked
		if i := bytes.IndexByte(blanked, '\n'); i >= 0 {
			now, blanked = blanked[:i], blanked[i+1:]
		}
		if len(bytes.TrimSpace(now)) == 0 && len(bytes.TrimSpace(line)) > 0 {
			lines[n] = true
		}
	}
	return lines
}
