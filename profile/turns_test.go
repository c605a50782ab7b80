package profile

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// What others take of processors is told by how much the program had of them in windows and elsewhere; where milestones tell how far it got on in
// windows, that is by what it took for known then.
func TestShared(t *testing.T) {
	const all = 4e9 // ns
	for _, tt := range []struct {
		what                            string
		waited, used, of, in, open, own float64
		told                            bool
		want, contended                 float64
	}{
		{"nobody takes turns", 0, 0, 0, 0, 0, 0, false, 1, 0},
		{"half of one processor, all of it in windows", 2e9, 2e9, 4e9, 1e8, 1e8, 0, false, 0.5, 0.5},
		{"the same for half of the time", 1e9, 1e9, 2e9, 1e8, 1e8, 0, false, 0.75, 0.25},
		{"as much in windows as elsewhere", 2e9, 2e9, 4e9, 0.5e8, 1e8, 0, false, 1, 0.5},
		{"half as much in windows", 2e9, 2e9, 4e9, 0.25e8, 1e8, 0, false, 2, 0.5},
		{"more than others leave elsewhere", 1e9, 3e9, 4e9, 4.4e8, 1e8, 0, false, 0.75, 0.25},
		{"milestones tell, by another figure", 2e9, 2e9, 4e9, 1e8, 1e8, 0.6, true, 0.6, 0.5},
		{"milestones tell, in a file of before", 2e9, 2e9, 4e9, 1e8, 1e8, 0, true, 1, 0.5},
	} {
		page := make([]byte, layout.HeaderSize)
		for offset, v := range map[int]float64{
			layout.OffTurnsWaited: tt.waited, layout.OffTurnsUsed: tt.used, layout.OffTurnsOf: tt.of, layout.OffTurnsOpen: tt.in, layout.OffTurnsOpenOf: tt.open,
			layout.OffTurnsShare: tt.own * layout.UnsureUnit, layout.OffWindowTicks: 1e8, layout.OffWindowNet: 1e8,
		} {
			binary.LittleEndian.PutUint64(page[offset:], uint64(v))
		}
		r := &run{header: header{page, byteOrder{}}}
		if got := r.shared(all, tt.told); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", tt.what, got, tt.want)
		}
		if got := r.contended(all); math.Abs(got-tt.contended) > 1e-9 {
			t.Errorf("%s: %g contended, want %g", tt.what, got, tt.contended)
		}
	}
}
