//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/layout"
)

// Labels reports whether Label would label the scope: it is open, and paths are recorded.
func (s *Scope) Labels() bool { return s != nil && s.open.index != 0 && hot.hooks&hookPaths != 0 }

// Label splits the path of the goroutine's innermost open scope by a value, such as the route of a
// request, with the key paths in MARKGEN. It should be called before scopes are opened inside. The
// first value counts, and that of the outermost scope of a marker inside itself. A marker has up to
// 1000 values; further ones are one, "other". Label reports whether the scope has the label.
//
//go:norace
//go:nocheckptr
//go:noinline
func Label(value string) bool {
	if hot.hooks&hookPaths == 0 || value == "" {
		return false
	}
	p, t := ownSlot(), paths
	if p == nil || t == nil || p.reads() || p.frozen() {
		return false
	}
	s := p.stack
	n := s.n
	if n == 0 || s.node(n) == cct.None {
		return false
	}
	e, parent := &s.nodes.p[n], s.nodes.p[n-1].node
	if e.marker == 0 || !t.IsChild(e.node, parent) {
		return false
	}
	label := t.Label(e.marker, value)
	if label == 0 {
		from := now()
		lock()
		if !noRun() && t == paths {
			label = t.AddLabel(&pathBlocks, e.marker, value)
		}
		unlock()
		p.discount(from)
		if label == 0 {
			return false
		}
	}
	if label == cct.Other {
		atomic.AddUint64(headerWord(layout.OffOtherLabels), 1)
	}
	label |= startLabel(parent, n)
	k := t.Child(parent, e.marker, label)
	if k == cct.None {
		k = addPath(t, parent, e.marker, label)
	}
	e.node, e.marker = k, 0 // not for the next scope at this position
	return k != cct.None
}
