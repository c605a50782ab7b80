package profile

import (
	"cmp"

	"github.com/markgen/markgen/units"
)

// Traced is the size of a trace.
type Traced struct {
	Records uint64 // in the file
	Lost    uint64 // records overwritten by newer ones, or not written for lack of space
}

// add returns the sum of t and o, either of which may be nil.
func (t *Traced) add(o *Traced) *Traced {
	if t == nil || o == nil {
		t = cmp.Or(t, o)
		if t == nil {
			return nil
		}
		o = &Traced{}
	}
	return &Traced{Add64(t.Records, o.Records), Add64(t.Lost, o.Lost)}
}

// Cautions appends cautions about a trace, which may be nil.
func (t *Traced) Cautions(list []string) []string {
	if t == nil || t.Lost == 0 {
		return list
	}
	return append(list, units.Plural(t.Lost, "trace record")+" lost; give a larger buffer=, and room where the file could not grow, or let markgen run or exec write them down, with room enough in the folder for temporary files")
}
