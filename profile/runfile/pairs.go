package runfile

import (
	"math/bits"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/layout"
)

// pairRow records where the pairs of a marker are in the file. They are read once all tables are
// known.
func (r *run) pairRow(b block) error {
	head, err := r.content(b, layout.OffPairsData)
	if err != nil {
		return err
	}
	index, n := r.order.Uint64(head[layout.OffPairsMarker:]), r.order.Uint64(head[layout.OffPairsLen:])
	if n > (b.size-layout.OffPairsData)*8 {
		return r.damaged(b.offset, "the pairs of marker number %d, %d bits of them in a block of %d bytes; they are left out", index, n, b.size)
	}
	if _, ok := r.rows[index]; ok {
		return r.damaged(b.offset, "a second time the pairs of marker number %d; they are left out", index)
	}
	r.rows[index] = block{offset: b.offset, size: layout.OffPairsData + (n+63)/64*8}
	return nil
}

// pairs sets the pairs of the profile, with the IDs of their markers. It needs all tables and
// aliases.
func (r *run) pairs() {
	if r.header.word(layout.OffFlags)&layout.FlagPairs == 0 {
		return
	}
	r.Pairs = &profile.Pairs{Runs: 1, Lost: r.header.word(layout.OffPairsLost)}
	to := map[uint64]uint64{}
	for _, a := range r.aliases {
		to[a.from] = a.to
	}
	id := func(index uint64) registry.ID {
		if n, ok := to[index]; ok {
			index = n
		}
		if m := r.named(index); m != nil {
			return m.ID
		}
		return 0
	}
	most := uint64(0) // the largest number that may have an ID
	for _, t := range r.ordered {
		most = max(most, t.first+uint64(len(t.Markers)))
	}
	for from := range to {
		most = max(most, from)
	}
	named := func(visit func(a registry.ID, first, word uint64)) {
		for index, b := range r.rows {
			a := id(index)
			if a == 0 {
				continue // not collected, or without a name, which is reported elsewhere
			}
			i := uint64(0)
			r.damagedIf(r.each(b.offset+layout.OffPairsData, min((b.size-layout.OffPairsData)/8, most/64+1), 8, func(words []byte) {
				for ; len(words) > 0; i, words = i+64, words[8:] {
					visit(a, i, r.order.Uint64(words))
				}
			}))
		}
	}
	n := 0 // a bit of the file becomes 16 bytes: allocate exactly what is needed
	named(func(a registry.ID, first, word uint64) { n += bits.OnesCount64(word) })
	r.Pairs.List = make([]profile.Pair, 0, n)
	named(func(a registry.ID, first, word uint64) {
		for ; word != 0; word &= word - 1 {
			if other := id(first + uint64(bits.TrailingZeros64(word))); other != 0 {
				r.Pairs.List = append(r.Pairs.List, profile.NewPair(a, other))
			}
		}
	})
	slices.SortFunc(r.Pairs.List, profile.ComparePairs)
	r.Pairs.List = slices.Compact(r.Pairs.List)
}
