//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// minCollected is the minimum time for which a marker is collected before enough= turns it off,
// in ns: a hundred samples of the first microsecond say little about a program.
const minCollected = 100_000_000

// limitAt turns the marker of that index off if it has enough samples (enough=), or has many and
// short scopes (throttle=). It checks when the number of scopes in the latest bucket on this
// processor is a multiple of a power of two.
//
//go:norace
func limitAt(index uint32) {
	pid := procPin()
	c := cellOf(pid, index)
	look := c != nil && c.Latest.P != nil && c.Latest.P.Count&conf.every() == 0
	procUnpin()
	if look && index >= firstIndex {
		from := now()
		lock()
		limit(index)
		unlock()
		discount(from)
	}
}

// every returns one less than the number of scopes between two checks, which is a power of two.
//
//go:norace
func (c *settings) every() uint64 {
	least := c.Enough
	if least == 0 || c.Calls != 0 && c.Calls < least {
		least = c.Calls
	}
	mask := uint64(0)
	for mask < 255 && 16*(mask+1) <= least {
		mask = 2*mask + 1
	}
	return mask
}

// limit is limitAt without the condition. Markers that triggers watch stay on. The caller holds the
// lock.
//
//go:norace
func limit(index uint32) {
	e := indexed(index)
	if e == nil || shared.Load(&e.marker.index)&layout.IndexWatched != 0 {
		return
	}
	t := timesOf(index)
	switch {
	case conf.Enough != 0 && t.N >= conf.Enough && toNS(subtract(now(), e.first)) >= minCollected:
		turnOff(e.marker, layout.IndexOffEnough)
	case conf.Calls != 0 && t.N >= conf.Calls && t.NS/t.N <= conf.Quick:
		turnOff(e.marker, layout.IndexOffThrottled)
	}
}

// turnOff turns a marker off for the rest of the run and, if it was the last one on behind its
// gate, the gate. Stopwatches stay on: their words are not in the file, so no reader would know.
// The caller holds the lock.
//
//go:norace
func turnOff(m *Marker, why uint32) {
	t, i := findTable(m)
	if t != nil && t.ofStopwatch() {
		return
	}
	shared.SetBits(&m.index, layout.IndexOff|why)
	if t == nil {
		return
	}
	gate := t.gate(i)
	for k := range t.gates {
		w := shared.Load(&t.at(uint32(k)).index)
		if t.gates[k] == t.gates[i] && w&(layout.IndexOffChoice|layout.IndexOffEnough|layout.IndexOffThrottled) == 0 {
			return
		}
	}
	shared.SetBits(&gate.Off, layout.OffByLimit)
	for k := range t.gates {
		if t.gates[k] == t.gates[i] {
			shared.SetBits(&t.at(uint32(k)).Off, layout.OffByLimit)
		}
	}
	settleMarkers() // or their code would continue to look for scope ends
}
