//go:build !markgen_off

package perf

import (
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// A scope that is entered again while it is open ends first, with its size.
func TestSizeEnteredAgain(t *testing.T) {
	m := collected(t)
	sized := func() (n uint64) {
		i := m[1].index & layout.IndexMask
		for s := range usedShards {
			if b := shards[s].sizes.Get(i); b != nil {
				n += b.Count()
			}
		}
		return n
	}
	var s Scope
	s.Enter(&m[1])
	s.Exit()
	before := sized()
	for n := range 100 {
		s.Enter(&m[1])
		s.Size(n)
	}
	s.Exit()
	if got := sized() - before; got != 100 {
		t.Errorf("%d sizes of 100", got)
	}
}
