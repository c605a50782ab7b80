package runfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

func TestPairs(t *testing.T) {
	for _, big := range []bool{false, true} {
		r := profiletest.DemoPairs()
		r.Big = big
		p := profiletest.Load(t, r.File())
		first, second := profiletest.Named(t, p, "example.com/demo.main").ID, profiletest.Named(t, p, "example.com/demo.(*Parser).Expr:for#1").ID
		want := &profile.Pairs{Runs: 1, List: []profile.Pair{profile.NewPair(first, first), profile.NewPair(first, second)}}
		if diff := cmp.Diff(sorted(want), p.Pairs); diff != "" {
			t.Errorf("big %v (-want +got)\n%s", big, diff)
		}
		if !p.Pairs.Has(second, first) || !p.Pairs.Has(first, first) || p.Pairs.Has(second, second) {
			t.Errorf("Has contradicts the list %v", p.Pairs.List)
		}
		twice := profile.Merge([]*profile.Profile{p, profiletest.Load(t, profiletest.Demo().File()), p})
		want.Runs = 2
		if diff := cmp.Diff(sorted(want), twice.Pairs); diff != "" {
			t.Errorf("of a sum (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(twice, profiletest.Encoded(t, twice)); diff != "" {
			t.Errorf("(-written +read)\n%s", diff)
		}
	}
}

func sorted(p *profile.Pairs) *profile.Pairs {
	return profile.Merge([]*profile.Profile{{Pairs: p}}).Pairs
}
