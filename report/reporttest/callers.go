package reporttest

import (
	"math/bits"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Figures returns a marker with n scopes that each took the same time.
func Figures(n, each, self uint64) profile.Marker {
	b := profile.Bucket{K: uint8(bits.Len64(each) - 1), Count: n, SumNS: n * each}
	for range n {
		b.SumSq = b.SumSq.Add(profile.Square(each))
	}
	return profile.Marker{Count: n, SelfNS: self, MinNS: each, MaxNS: each, Buckets: []profile.Bucket{b}}
}

// Family returns a profile with known callers: main calls serve, which calls handle and log; those
// call query, which has a loop with a branch in which it calls scan; handle also calls fib, which
// is recursive. Another caller of scan is not in the profile, and one call of log has no caller.
func Family() *profile.Profile {
	p := &profile.Profile{
		App: "family", Run: "20260301-120000.1", Runs: 1, Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), ElapsedNS: 2000,
		GOOS: "linux", GOARCH: "amd64", Go: "go1.26.0", State: "stopped", Complete: true,
		Clock: profile.Clock{Kind: "tsc", Hz: 2e9, QuantumNS: 0.5, ReadNS: 10, InsideNS: 10, WholeNS: 25},
	}
	type call struct {
		from          registry.ID
		n, each, self uint64
	}
	const none, main, serve, handle, log, query, loop, branch, scan, fib, gone = 0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xff
	names := map[registry.ID]string{gone: "x/gone.F"}
	for _, m := range []struct {
		id         registry.ID
		name, kind string
		line       int
		calls      []call
	}{
		{main, "main", "func", 10, []call{{none, 1, 1000, 100}}},
		{serve, "serve", "func", 20, []call{{main, 2, 450, 200}}},
		{handle, "handle", "func", 30, []call{{serve, 4, 100, 40}}},
		{log, "log", "func", 40, []call{{none, 1, 75, 15}, {serve, 3, 75, 45}}},
		{query, "query", "func", 50, []call{{handle, 3, 80, 30}, {log, 4, 60, 24}}},
		{loop, "query:for#1", "loop", 52, []call{{query, 14, 20, 140}}},
		{branch, "query:if#1.then", "branch", 53, []call{{loop, 5, 10, 10}}},
		{scan, "scan", "func", 60, []call{{branch, 5, 8, 40}, {gone, 1, 2, 2}}},
		{fib, "fib", "func", 70, []call{{handle, 1, 20, 4}, {fib, 6, 10, 16}}},
	} {
		names[m.id] = "x/family." + m.name
		var sum profile.Marker
		buckets := map[uint8]profile.Bucket{}
		for _, c := range m.calls {
			f := Figures(c.n, c.each, c.self)
			sum.Callers = append(sum.Callers, profile.Caller{ID: c.from, Name: names[c.from], Marker: f})
			sum.Count += c.n
			sum.SelfNS += c.self
			b, more := buckets[f.Buckets[0].K], f.Buckets[0]
			more.Count, more.SumNS, more.SumSq = b.Count+more.Count, b.SumNS+more.SumNS, b.SumSq.Add(more.SumSq)
			buckets[more.K] = more
			sum.MaxNS = max(sum.MaxNS, c.each)
			if sum.MinNS == 0 || c.each < sum.MinNS {
				sum.MinNS = c.each
			}
		}
		for k := range uint8(64) {
			if b, ok := buckets[k]; ok {
				sum.Buckets = append(sum.Buckets, b)
			}
		}
		if m.id == fib {
			sum.NestedNS = 60
		}
		sum.ID, sum.Name, sum.Package, sum.Kind, sum.File, sum.Line, sum.Col = m.id, names[m.id], "x/family", m.kind, "family.go", m.line, 1
		p.Markers = append(p.Markers, sum)
	}
	return p
}
