//go:build markgen_virtual && go1.26 && !markgen_off

package perf

import "testing"

// BenchmarkTrace compares the cost of a scope's two records with the two bare clock reads that they
// need:
//
//	go test -tags=markgen_virtual -bench=Trace ./runtime/perf
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
