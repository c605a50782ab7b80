package rewrite

import (
	"go/ast"

	"github.com/markgen/markgen/rewrite/cover"
)

// A coverBlock is a basic block and its file. In the unit's array of counters, blocks follow
// points, in the order of Unit.blocks.
type coverBlock struct {
	cover.Block
	f   *file
	sum []int // if not nil, the block has no counter: its count is the sum of these blocks' counts
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
	if w.u.declared == nil {
		w.u.declared = w.u.declaredNames()
	}
	sums, before := cover.Sums(f.ast, blocks, w.u.declared), len(w.u.blocks)
	for i, b := range blocks {
		for k := range sums[i] {
			sums[i][k] += before
		}
		w.u.blocks = append(w.u.blocks, coverBlock{b, f, sums[i]})
	}
	for i, b := range blocks {
		index := before + i
		fn := byNode[b.Func]
		if fn == nil || b.Dead || sums[i] != nil {
			continue
		}
		e := event{op: opCover, at: f.offset(b.At), block: index}
		if b.Close.IsValid() {
			e.op = opWrap
			fn.events = append(fn.events, event{op: opUnwrap, at: f.offset(b.Close)})
		}
		fn.events = append(fn.events, e)
	}
	first := w.u.firstBlocks(before)
	for _, fn := range f.functions {
		fn.sortEvents()
		for i := range fn.events {
			if e := &fn.events[i]; e.op == opCover || e.op == opWrap {
				e.first, fn.blocks = first[e.block], true
			}
		}
	}
}

// numberTallies numbers the functions that count by goroutine: it sets function.tallyIndex and u.counting.
func (u *Unit) numberTallies() {
	u.counting = 0
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.blocks || len(fn.points) > 0 {
				fn.tallyIndex = u.counting
				u.counting++
			}
		}
	}
}

// firstBlocks returns which of the unit's blocks, from an index on, may be counted first in a call
// of their function: the block with which the function starts, or, if that is a sum, its terms.
func (u *Unit) firstBlocks(from int) map[int]bool {
	first := map[int]bool{}
	for i := from; i < len(u.blocks); i++ { // the terms of a sum follow it
		b := &u.blocks[i]
		if b.At == b.Body().Lbrace+1 {
			first[i] = true
		}
		if first[i] {
			for _, k := range b.sum {
				first[k] = true
			}
		}
	}
	return first
}
