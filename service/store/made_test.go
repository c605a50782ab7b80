package store_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
)

// Batches for tests: profiles with statistics of every kind that the store keeps.

// A maker generates random batches.
type maker struct {
	*rand.Rand
	apis  int  // number of APIs to choose from
	large bool // include numbers that make sums saturate
	next  uint32
	seed  uint64 // part of the run names
}

func newMaker(seed uint64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, 1)), apis: 30, seed: seed}
}

// number returns a random number, usually a small one.
func (r *maker) number() uint64 {
	if r.large && r.IntN(20) == 0 {
		return []uint64{math.MaxUint64, 1 << 63, 1<<63 - 1, 1 << 62, math.MaxUint64 - uint64(r.IntN(5))}[r.IntN(5)]
	}
	return r.Uint64() >> (20 + r.IntN(44))
}

func (r *maker) wide() profile.Uint128 {
	if r.large && r.IntN(20) == 0 {
		return profile.Uint128{Hi: r.number(), Lo: r.Uint64()}
	}
	hi, lo := bits.Mul64(r.number(), r.number())
	return profile.Uint128{Hi: hi, Lo: lo}
}

func (r *maker) ks() []uint8 {
	k := r.IntN(60)
	var list []uint8
	for ; k < 64 && len(list) < 1+r.IntN(8); k += 1 + r.IntN(2) {
		list = append(list, uint8(k))
	}
	return list
}

func (r *maker) times() (list []profile.Bucket) {
	for _, k := range r.ks() {
		list = append(list, profile.Bucket{K: k, Count: 1 + r.number()/2, SumNS: r.number(), SumSq: r.wide()})
	}
	return list
}

func (r *maker) differences() (list []profile.ValueBucket) {
	if r.IntN(2) == 0 {
		return nil
	}
	for _, k := range r.ks() {
		list = append(list, profile.ValueBucket{K: k, Count: 1 + r.number()/2, Sum: r.number(), SumSq: r.wide()})
	}
	return list
}

// idOf spreads IDs over all chunks.
func idOf(i int) registry.ID { return registry.ID(uint64(i+1) * 0x9e3779b97f4a7c15) }

func (r *maker) marker(i int) profile.Marker {
	version := r.IntN(3)
	m := profile.Marker{
		ID: idOf(i), Package: fmt.Sprintf("example.com/p%d", i%4), Name: fmt.Sprintf("example.com/p%d.F%03d", i%4, i),
		Kind: []string{"func", "loop"}[i%2], File: "f.go", Line: 10 + version, Col: version,
		Runs: 1, Count: r.number(), Open: r.number(), CountOnly: r.IntN(4) == 0, Off: []string{"", "", "", "choice", "enough", "throttled"}[r.IntN(6)],
	}
	if r.IntN(3) == 0 {
		m.Group = "g"
	}
	if r.IntN(5) > 0 {
		m.SelfNS, m.NestedNS, m.MinNS, m.MaxNS, m.Ticks = r.number(), r.number(), r.number(), r.number(), r.number()
		m.Buckets = r.times()
	}
	if r.IntN(3) == 0 {
		b := r.times()
		m.First = profile.Firsts{MinNS: b[0].LoNS(), MaxNS: b[len(b)-1].HiNS() - 1, Buckets: b}
	}
	if r.IntN(4) == 0 {
		for _, k := range r.ks() {
			s := profile.SizeBucket{K: k, Count: 1 + r.number()/2, SumSize: r.wide(), SumNS: r.number(), SumSq: r.wide()}
			if r.IntN(3) > 0 {
				s.Logged, s.SumLog, s.SumLogSq = 1+r.Uint64N(s.Count), r.number(), r.number()
			}
			m.Sizes = append(m.Sizes, s)
		}
	}
	if r.IntN(3) == 0 {
		for _, c := range []string{"alloc", "io", ""}[r.IntN(3):] {
			reading := profile.Reading{Collector: c, Scopes: r.number(), Dropped: r.number()}
			for _, v := range []string{"", "bytes", "objects"}[r.IntN(3):] {
				reading.Values = append(reading.Values, profile.Value{Name: v, Sum: r.number(), Self: r.number(), Nested: r.number(), Buckets: r.differences(), SelfBuckets: r.differences()})
			}
			m.Readings = append(m.Readings, reading)
		}
	}
	if r.IntN(4) == 0 {
		m.Sample, m.Samples = r.number(), r.number()
		m.Seen, m.CountVar, m.SumVar, m.Unsure = r.number(), r.wide(), r.wide(), r.IntN(2) == 0
	}
	return m
}

// profile returns a random profile of a run that started at start.
func (r *maker) profile(start time.Time) *profile.Profile {
	p := &profile.Profile{App: "shop", Runs: 1, Start: start, ElapsedNS: r.number(), Lost: uint64(r.IntN(3)), State: "stopped", Complete: r.IntN(2) == 0, NoSelf: r.IntN(9) == 0}
	p.Newest = start.UnixNano()
	if r.IntN(3) == 0 {
		p.Runs = 0
	}
	if r.IntN(3) == 0 {
		p.Wild = &profile.Wild{Runs: 1, Picked: r.number(), Of: r.number(), Loaded: r.number(), Full: 1, NoPlace: 2}
	}
	if r.IntN(3) == 0 {
		p.Sampling = &profile.Sampling{N: r.number(), Windows: r.number(), OpenNS: r.number(), NetNS: r.number(), OfNS: r.number()}
	}
	for i := range r.apis {
		if r.IntN(3) > 0 {
			continue
		}
		m := r.marker(i)
		if p.Wild != nil && r.IntN(2) == 0 {
			m.Picks = &profile.Picks{Runs: 1 + r.number()/2, Weight: r.wide(), Scopes: r.wide(), ScopesVar: r.wide()}
		}
		m.AsOf = start.UnixNano()
		p.Markers = append(p.Markers, m)
	}
	slices.SortFunc(p.Markers, func(a, b profile.Marker) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return p
}

const someDay = fleet.Day(20600)

// batch returns a random batch.
func (r *maker) batch() *fleet.Batch {
	day := someDay + fleet.Day(r.IntN(4))
	p := r.profile(day.Time().Add(time.Duration(r.IntN(20)) * time.Hour))
	o := fleet.Origin{
		Build: fmt.Sprintf("example.com/shop@v1.%d.0", r.IntN(3)), Go: []string{"go1.26.8", "go1.27.0"}[r.IntN(2)],
		GOOS: "linux", GOARCH: []string{"amd64", "arm64"}[r.IntN(2)], CPU: []string{"", "A", "B"}[r.IntN(3)],
	}
	r.next++
	b := batchOf(p, o, day, fleet.BatchID{Build: o.Build, Run: fleet.RunID{byte(r.next >> 4), byte(r.next >> 12), byte(r.seed)}, Sequence: r.next % 16})
	b.Token = []string{"", "ann", "bob"}[r.next%3]
	return b
}

// batchOf returns a batch with a profile, as received over the wire.
func batchOf(p *profile.Profile, o fleet.Origin, day fleet.Day, id fleet.BatchID) *fleet.Batch {
	body, err := codec.Encode(p)
	if err != nil {
		panic(err) // generated profiles can be encoded
	}
	return &fleet.Batch{ID: id, Origin: o, Day: day, Profile: read(body), Body: body}
}

func read(body []byte) *profile.Profile {
	p, err := codec.Decode(body, "batch")
	if err != nil {
		panic(err)
	}
	return p
}

// A fact is a batch that must be in the store.
type fact = *fleet.Batch

// sumOf returns the sums of the markers of the chosen batches.
func sumOf(list []fact, chosen func(fact) bool) map[registry.ID]profile.Marker {
	var sum profile.Sum
	for _, b := range list {
		if chosen(b) {
			sum.Add(b.Profile)
		}
	}
	all := map[registry.ID]profile.Marker{}
	for _, m := range sum.Profile().Markers {
		all[m.ID] = m
	}
	return all
}

// same compares markers without callers, which are not kept, and without names and positions, which
// are those of the newest run of all batches, not only of the chosen ones. Numbers that saturate
// are equal to the maximum.
var same = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		return ok && slices.Contains([]string{"AsOf", "Callers", "File", "Line", "Col", "Group"}, field.Name())
	}, cmp.Ignore()),
	cmp.FilterValues(func(a, b []profile.Reading) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	cmp.Comparer(func(a, b []profile.Bucket) bool { return slices.EqualFunc(a, b, sameBucket) }),
	cmp.FilterValues(func(a, b []profile.SizeBucket) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	cmp.FilterValues(func(a, b []profile.ValueBucket) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	cmp.FilterValues(func(a, b []profile.Value) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	cmp.Comparer(func(a, b uint64) bool { return held(a) == held(b) }),
	cmp.Comparer(sameSquares),
}

// sameBucket does by hand what cmp would: most of what is compared are buckets.
func sameBucket(a, b profile.Bucket) bool {
	return a.K == b.K && held(a.Count) == held(b.Count) && held(a.SumNS) == held(b.SumNS) && sameSquares(a.SumSq, b.SumSq)
}

func sameSquares(a, b profile.Uint128) bool { return a == b || a.Hi >= 1<<61-1 && b.Hi >= 1<<61-1 }

// held returns n as the store returns it.
func held(n uint64) uint64 {
	if n >= math.MaxInt64 {
		return math.MaxUint64
	}
	return n
}
