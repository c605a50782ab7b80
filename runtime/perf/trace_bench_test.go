//go:build markgen_virtual && go1.26 && !markgen_off

package perf

import "testing"

// The price of a scope's two records against the two bare clock reads they cannot do
// without:
//
//	go test -bench Trace ./runtime
func BenchmarkTrace(b *testing.B) {
	m := collectedAs(b, "collect=trace,file="+b.TempDir()+"/data")
	b.Run("reads", func(b *testing.B) {
		for b.Loop() {
			ticks()
			ticks()
		}
	})
	b.Run("opened", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tracedOpen(&m[1])
		}
	})
	b.Run("scope", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s Scope
			s.Enter(&m[1])
			s.Exit()
		}
	})
	b.Run("point", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Pass(&m[2])
		}
	})
	b.Run("openreads", func(b *testing.B) {
		for b.Loop() {
			openReads()
		}
	})
}

//go:noinline
func tracedOpen(m *Marker) {
	Open(m)
	Shut(m)
}

//go:noinline
func openReads() {
	ticks()
	ticks()
}
