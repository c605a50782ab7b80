package runfile_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

func TestValueBuckets(t *testing.T) {
	one := func(v uint64) profile.Uint128 { s := profile.Square(v); return s.Add(s) }
	const most = 1<<62 + 12345
	want := map[string][]profile.Value{
		"example.com/demo.main": {
			{Name: "bytes", Sum: 2080, Self: 32,
				Buckets:     []profile.ValueBucket{{K: 0, Count: 2}, {K: 5, Count: 2, Sum: 32, SumSq: one(16)}, {K: 11, Count: 2, Sum: 2048, SumSq: one(1024)}},
				SelfBuckets: []profile.ValueBucket{{K: 0, Count: 4}, {K: 5, Count: 2, Sum: 32, SumSq: one(16)}}},
			{Name: "objects", Sum: 6, Self: 2,
				Buckets:     []profile.ValueBucket{{K: 0, Count: 2}, {K: 1, Count: 2, Sum: 2, SumSq: one(1)}, {K: 2, Count: 2, Sum: 4, SumSq: one(2)}},
				SelfBuckets: []profile.ValueBucket{{K: 0, Count: 4}, {K: 1, Count: 2, Sum: 2, SumSq: one(1)}}},
		},
		"example.com/demo.(*Parser).Expr:for#1": {
			{Name: "bytes", Sum: 2 * most, Self: 2 * most,
				Buckets:     []profile.ValueBucket{{K: 63, Count: 2, Sum: 2 * most, SumSq: one(most)}},
				SelfBuckets: []profile.ValueBucket{{K: 63, Count: 2, Sum: 2 * most, SumSq: one(most)}}},
			{Name: "objects", Sum: 510, Self: 510,
				Buckets:     []profile.ValueBucket{{K: 8, Count: 2, Sum: 510, SumSq: one(255)}},
				SelfBuckets: []profile.ValueBucket{{K: 8, Count: 2, Sum: 510, SumSq: one(255)}}},
		},
	}
	for _, big := range []bool{false, true} {
		run := profiletest.DemoSpread()
		run.Big = big
		p := profiletest.Load(t, run.File())
		if len(p.Warnings) > 0 {
			t.Errorf("%q", p.Warnings)
		}
		for name, values := range want {
			if diff := cmp.Diff(values, profiletest.Named(t, p, name).Readings[0].Values); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	b := profile.ValueBucket{K: 5}
	if zero := (profile.ValueBucket{}); b.Lo() != 16 || b.Hi() != 32 || zero.Lo() != 0 || zero.Hi() != 1 {
		t.Errorf("bucket 5 is from %d to %d, bucket 0 from %d to %d", b.Lo(), b.Hi(), zero.Lo(), zero.Hi())
	}
}

// Buckets add up, and their addends are not changed.
func TestMergeValueBuckets(t *testing.T) {
	a := profiletest.Load(t, profiletest.DemoSpread().File())
	kept := profiletest.Load(t, profiletest.DemoSpread().File())
	sum := profile.Merge([]*profile.Profile{a, a, a})
	for i := range sum.Markers {
		for k, v := range sum.Markers[i].Readings {
			for n := range v.Values {
				for j, b := range v.Values[n].Buckets {
					one := a.Markers[i].Readings[k].Values[n].Buckets[j]
					if b.K != one.K || b.Count != 3*one.Count || one.K < 63 && b.Sum != 3*one.Sum {
						t.Errorf("three times %+v is %+v", one, b)
					}
				}
			}
		}
	}
	if diff := cmp.Diff(kept.Markers[0].Readings, a.Markers[0].Readings); diff != "" {
		t.Errorf("what was merged has changed (-want +got):\n%s", diff)
	}
}

// Invalid buckets are reported and dropped, and everything else is read.
func TestValueBucketsDamage(t *testing.T) {
	at := profiletest.BlockAt(t, profiletest.DemoSpread().File(), layout.BlockSpread, 0) // the block with the bytes of main
	put := func(offset int, v uint64) func(file []byte) {
		return func(file []byte) { binary.LittleEndian.PutUint64(file[at+offset:], v) }
	}
	bucket := func(k, offset int) int { return layout.OffSpreadData + k*layout.BucketSize + offset }
	for _, tt := range []struct {
		about  string
		damage func(file []byte)
		want   string
	}{
		{"no such value", put(layout.OffSpreadValue, 2), "value number 0x2 is spread, which the file does not name"},
		{"neither with nor without", put(layout.OffSpreadValue, 2<<32), "value number 0x200000000"},
		{"between two groups", put(layout.OffSpreadFirst, 3), "buckets of a value from number 3 on"},
		{"beyond the last", put(layout.OffSpreadFirst, 64), "buckets of a value from number 64 on"},
		{"a second time", put(layout.OffSpreadValue, 1), "a second time the buckets from number 0 on of value number 0x1"},
		{"sum of zeros", put(bucket(0, layout.BucketSum), 1), "whose figures contradict each other"},
		{"sum too large", put(bucket(5, layout.BucketSum), 1<<40), "whose figures contradict each other"},
		{"squares too large", put(bucket(5, layout.BucketSqHi), 1), "whose figures contradict each other"},
		{"count without a sum", put(bucket(5, layout.BucketCount), 1<<63), "whose figures contradict each other"},
	} {
		file := profiletest.DemoSpread().File()
		tt.damage(file)
		p := profiletest.Load(t, file)
		if !p.Damaged || !strings.Contains(strings.Join(p.Warnings, "\n"), tt.want) {
			t.Errorf("%s: %q, want %q", tt.about, p.Warnings, tt.want)
		}
		if r := profiletest.Named(t, p, "example.com/demo.main").Readings[0]; r.Scopes != 6 || r.Values[0].Sum != 2080 {
			t.Errorf("%s: %+v", tt.about, r)
		}
	}
}
