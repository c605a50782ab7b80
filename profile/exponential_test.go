package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
)

// Each value is in the bucket of its power of two: 1 ns, which shares a bucket with 0, in one of its
// own.
func TestExponential(t *testing.T) {
	times := []profile.Bucket{{K: 0, Count: 5, SumNS: 2}, {K: 1, Count: 3, SumNS: 7}, {K: 3, Count: 1, SumNS: 9}}
	for _, tt := range []struct {
		got, want profile.Exponential
	}{
		{profile.ExponentialTimes(times), profile.Exponential{Zeros: 3, Offset: -1, Counts: []uint64{2, 0, 3, 0, 1}}},
		{profile.ExponentialTimes(times[1:]), profile.Exponential{Offset: 1, Counts: []uint64{3, 0, 1}}},
		{profile.ExponentialTimes([]profile.Bucket{{Count: 4}}), profile.Exponential{Zeros: 4}},
		{profile.ExponentialValues([]profile.ValueBucket{{K: 0, Count: 5}, {K: 1, Count: 3}, {K: 3, Count: 1}}), profile.Exponential{Zeros: 5, Counts: []uint64{3, 0, 1}}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
