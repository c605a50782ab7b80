//go:build go1.26 && !markgen_off

package perf

import "testing"

// BenchmarkScope compares the cost of a scope with the two bare clock reads that it needs. All
// scopes of a benchmark are alike and go to one bucket. The measured duration of an empty scope is
// within one clock step of 0, so with the cost measured at the start of the process, scopes would
// go to one bucket in one build and to two alternately in another; mixed measures the latter.
func BenchmarkScope(b *testing.B) {
	m := collected(b)
	Enter(&m[0]).Exit() // the first scope starts the measurement that the rest uses
	measured := hot.inside
	hot.inside = 1 << 40 // larger than any duration
	b.Cleanup(func() { hot.inside = measured })
	reads := func(b *testing.B) {
		for b.Loop() {
			ticks()
			ticks()
		}
	}
	nested := func(b *testing.B) {
		var outer, s Scope // declared at the top, as in generated code
		outer.Enter(&m[0])
		defer outer.Exit()
		for b.Loop() {
			s.Enter(&m[1])
			s.Exit()
		}
	}
	outermost := func(b *testing.B) {
		var s Scope
		for b.Loop() {
			s.Enter(&m[1])
			s.Exit()
		}
	}
	kept := hot.self
	b.Run("reads", reads)
	b.Run("self/nested", nested)
	b.Run("self/outermost", outermost)
	hot.self = false
	b.Run("noself", outermost)
	hot.self = kept
	mixed := func(b *testing.B) {
		var s Scope
		x := uint64(1)
		for b.Loop() {
			x = x*6364136223846793005 + 1442695040888963407
			hot.inside = x >> 63 << 40
			s.Enter(&m[1])
			s.Exit()
		}
		hot.inside = 1 << 40
	}
	b.Run("mixed/self", mixed)
	hot.self = false
	b.Run("mixed/noself", mixed)
	hot.self = kept
	b.Run("deferred", func(b *testing.B) {
		for b.Loop() {
			func() {
				var s [1]Scope
				defer Close(s[:])
				s[0].Enter(&m[1])
			}()
		}
	})
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			func() {
				defer Enter(&m[1]).Exit()
			}()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			var s Scope
			for pb.Next() {
				s.Enter(&m[1])
				s.Exit()
			}
		})
	})
	b.Run("pass", func(b *testing.B) {
		for b.Loop() {
			Pass(&m[2])
		}
	})
}

// collected registers three markers in a process that collects.
func collected(tb testing.TB) *[3]Marker { return collectedAs(tb, "report=/dev/null") }

// collectedAs is collected with the value of MARKGEN, unless a run has begun already.
func collectedAs(tb testing.TB, config string) *[3]Marker {
	var m [3]Marker
	const text = "p\tbench\nf\tbench.go\n" +
		"m\t00000000000000a1\tfunc\t0\t1\t1\t0\t-\t-\t1\tbench.Outer\n" +
		"m\t00000000000000a2\tfunc\t0\t2\t1\t1\t-\t-\t1\tbench.Inner\n" +
		"m\t00000000000000a3\tfunc\t0\t3\t1\t2\tc\t-\t1\tbench.Counted\n"
	tb.Setenv("MARKGEN", config)
	if !Register(&m[0], len(m), nil, 0, text) {
		tb.Fatal("nothing is collected")
	}
	return &m
}
