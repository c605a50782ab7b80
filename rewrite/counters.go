package rewrite

import "go/ast"

// coverBlock is a basic block with the file that holds it; the unit's counters
// of blocks stand behind those of points, in this order.
type coverBlock struct {
	Block
	f *file
}

// coverFile plants a counter for every basic block of the file walked.
func (w *walker) coverFile(f *file) {
	byNode := map[ast.Node]*function{}
	for _, fn := range f.functions {
		if fn.decl != nil {
			byNode[fn.decl] = fn
		} else {
			byNode[fn.lit] = fn
		}
	}
	for _, b := range CoverBlocks(w.u.fset, f.ast, f.Text) {
		index := len(w.u.blocks)
		w.u.blocks = append(w.u.blocks, coverBlock{b, f})
		fn := byNode[b.Func]
		if fn == nil || b.Dead {
			continue
		}
		e := event{op: opCover, at: f.offset(b.At), block: index}
		if b.Close.IsValid() {
			e.op = opWrap
			fn.events = append(fn.events, event{op: opUnwrap, at: f.offset(b.Close)})
		}
		fn.events = append(fn.events, e)
	}
	for _, fn := range f.functions {
		fn.sortEvents()
		blocks, at := 0, f.offset(fn.body.Lbrace)+1
		for i := range fn.events {
			if e := &fn.events[i]; e.op == opCover || e.op == opWrap {
				e.first = blocks == 0 && e.op == opCover && e.at == at
				e.fn = w.u.counting
				blocks++
			}
		}
		if blocks > 0 {
			w.u.counting++
		}
	}
}
