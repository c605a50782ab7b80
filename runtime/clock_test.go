//go:build !markgen_off

package runtime

import "testing"

func TestCommonStep(t *testing.T) {
	for _, tt := range []struct {
		steps []uint64
		want  uint64
	}{
		{nil, 1},
		{[]uint64{1000}, 1000},
		{[]uint64{40, 60, 100}, 20},
		{[]uint64{52, 78, 52, 104, 78, 78, 52, 130}, 26},
		{[]uint64{1, 51, 52, 78, 78, 52, 52, 78, 104, 52, 78, 78, 52, 78, 52, 78}, 26}, // read twice within a step
		{[]uint64{52, 52, 52, 52, 52, 52, 52, 78, 78, 78, 52, 52}, 26},
		{[]uint64{50, 52, 54, 52, 58, 52, 50, 56}, 2},
		{[]uint64{50, 53, 51, 52, 58, 52, 47, 56}, 1},
	} {
		if got := commonStep(tt.steps); got != tt.want {
			t.Errorf("%d: %d, want %d", tt.steps, got, tt.want)
		}
	}
}
