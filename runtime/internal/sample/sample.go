// Package sample plans the windows of sample=1:N, and adds up what they say about the whole run.
//
// Recording takes part of a window, in which the program makes no progress. The rest, the net time,
// is the window's length less the measured cost of what was recorded in it. At 1:N, n scopes in a
// window of length t and net time u stand for N·n·t/u of the program's scopes, and the window for
// N·t of its time. The file has sums of these estimates, of their squares and of the times for each
// marker: the variance between windows gives the standard error of an estimate. Windows are
// independent; the scopes in one are not, since a function that is called once is likely to be
// called again.
//
//	next := windows.Plan(t, n, used, waits) // open one at next
//	length, lead := windows.Length(n), windows.Lead(t, next, n)
//	…
//	sums.Add(scopes, ns, n, windows.Longer(n, ticks, cost, recording))
package sample

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Sums are the sums over batches in a BlockSample: for n scopes with a total duration of ns in a
// batch at 1:N, which stand for x of the program's scopes, the sums of n, n², ns, ns², n·ns, N·n, x
// and x².
type Sums struct{ n, nn, ns, nsns, nns, w, x, xx float64 }

var _ = [1]struct{}{}[unsafe.Sizeof(Sums{})-(layout.OffSampleSince-layout.OffSampleSums)]

// Add adds a batch of n scopes with a total duration of ns, in windows at 1:rate whose length is
// longer times their net time.
//
//go:norace
func (s *Sums) Add(n, ns, rate, longer float64) {
	x := n * rate * longer
	s.w += n * rate
	s.n += n
	s.nn += n * n
	s.ns += ns
	s.nsns += ns * ns
	s.nns += n * ns
	s.x += x
	s.xx += x * x
}

// A Recording is what was recorded of sampled markers in some windows: the number of scopes, the
// ticks spent on reading collectors and making cells, and the number of processors.
type Recording struct {
	Scopes, Read uint64
	Processors   int
}

// maxCorrection bounds the correction: at least 1/maxCorrection of a window counts as net time,
// since a scope costs about maxCorrection times as much as the shortest functions take.
const maxCorrection = 64

// Longer returns the ratio of the length of windows at 1:n, of ticks in all, to their net time, for
// what was recorded in them, at cost ticks for a scope. Where several processors record at once, each
// loses part of its own time. At 1:1 the ratio is 1: the cost of recording is the program's own.
func (w *Windows) Longer(n, ticks uint64, cost float64, r Recording) float64 {
	if n <= 1 {
		return 1
	}
	took := float64(r.Scopes)*cost + float64(r.Read)
	return 1 / max(1-took/w.atOnce(r.Processors)/float64(ticks), 1.0/maxCorrection)
}

// atOnce returns how many of the given number of processors recorded simultaneously: at most the
// number that the program keeps busy. A goroutine that hands work to one on another processor and
// waits for it counts as one.
func (w *Windows) atOnce(processors int) float64 {
	n := max(float64(processors), 1)
	if w.busy == 0 {
		return n
	}
	return max(min(n, float64(w.busy)/256), 1)
}
