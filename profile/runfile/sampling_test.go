package runfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/profile/table"
)

// Estimates of markers for which recording took more than half of the windows are reported as
// unreliable, with the worst one.
func TestDoubts(t *testing.T) {
	r := &run{input: &input{name: "run.markgen"}, Profile: &profile.Profile{}, ordered: []*unitTable{{Table: &table.Table{Markers: []*profile.Marker{{Name: "parse"}, {Name: "next"}, {Name: "peek"}}}}}}
	for number, longer := range []float64{1.5, 4, 3} {
		r.doubt(&profile.Marker{Count: 10}, &batchSums{Sums: estimate.Sums{N: 10, W: 100, X: 100 * longer}}, uint64(number))
	}
	r.doubt(&profile.Marker{}, &batchSums{}, 0)
	r.warnOfDoubts()
	want := []string{"run.markgen: the estimates of 2 markers are unreliable: recording took more than half of the windows in which they ran, " +
		"75 % of those of next; count them (countdown), or leave out what runs most often (skip=)"}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
