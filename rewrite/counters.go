package rewrite

import (
	"go/ast"

	"github.com/markgen/markgen/rewrite/cover"
)

// A coverBlock is a basic block and its file. In the unit's array of counters, blocks follow
// points, in the order of Unit.blocks.
type coverBlock struct {
	cover.Block
	f *file
}

// coverFile plants counters for the basic blocks of a file.
func (w *walker) coverFile(f *file) {
	byNode := map[ast.Node]*function{}
	for _, fn := range f.functions {
		if fn.decl != nil {
			byNode[fn.decl] = fn
		} else {
			byNode[fn.lit] = fn
		}
	}
	blocks := cover.Blocks(w.u.fset, f.ast, f.Text, w.o.Release)
	for _, b := range blocks {
		index := len(w.u.blocks)
		w.u.blocks = append(w.u.blocks, coverBlock{b, f})
		fn := byNode[b.Func]
		if fn == nil || b.Dead {
			continue
		}
		fn.blocks = true
		e := event{op: opCover, at: f.offset(b.At), block: index, first: b.At == b.Body().Lbrace+1}
		if b.Close.IsValid() {
			e.op = opWrap
			fn.events = append(fn.events, event{op: opUnwrap, at: f.offset(b.Close)})
		}
		fn.events = append(fn.events, e)
	}
	for _, fn := range f.functions {
		fn.sortEvents()
	}
}

// numberTallies numbers the functions whose basic blocks are counted: it sets function.tallyIndex and u.counting.
func (u *Unit) numberTallies() {
	u.counting = 0
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.blocks {
				fn.tallyIndex = u.counting
				u.counting++
			}
		}
	}
}
