//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/sizes"
	"github.com/markgen/markgen/runtime/layout"
)

// A shard has the cells of one processor. Shard number MaxShards serves all further processors, one
// at a time under the lock.
type shard struct {
	cells *directory.Of[cell.Cell]
	sizes *directory.Of[sizes.Block]
	paths *directory.Of[cct.Cell]

	read     uint64 // ticks spent in windows on reading collectors and making cells
	readSeen uint64 // read as of the latest batch
	recorded uint32 // scopes of sampled markers recorded in windows; only differences matter
	seen     uint32 // recorded as of the latest batch
	_        [40 - 3*unsafe.Sizeof(uintptr(0))]byte
}

var (
	shards     [layout.MaxShards + 1]shard
	usedShards int // only shards below this may have directories; under the lock
)

// cellOf returns the cell of marker i on processor pid, or nil if there is none yet. The caller is
// pinned.
//
//go:norace
func cellOf(pid int, i uint32) *cell.Cell {
	if uint(pid) >= layout.MaxShards {
		return nil
	}
	return shards[pid].cells.Get(i)
}

// cellIn is cellOf for a shard, which may be the one that further processors share.
//
//go:norace
//go:noinline
func cellIn(shard int, i uint32) *cell.Cell { return shards[shard].cells.Get(i) }

// timesOf returns the times recorded under an index. The caller holds the lock.
//
//go:norace
//go:noinline
func timesOf(index uint32) (t cell.Times) {
	for shard := range usedShards {
		if c := cellIn(shard, index); c != nil {
			t.Add(c)
		}
	}
	return t
}

// An endedScope is a scope that is to be added to a cell.
type endedScope struct {
	timed bool   // if false, it has no duration, and the fields about it are 0
	how   uint8  // ended… bits
	ns    uint64 // ns, less the cost of markers
	self  uint64 // ns
	ticks uint64 // uncorrected duration
	at    uint64 // tick of its end; for an untimed one, any tick within it
	slot  *slot  // of the goroutine; nil if its scopes are not followed
	node  uint32 // of its path; 0 if unknown
}

// Bits of endedScope.how.
const (
	endedFirst  = 1 << iota // it belongs to the marker's first call, which is kept apart: firstBit
	endedNested             // it is inside another scope of the same marker: nestedBit
	endedShut               // its marker was shut meanwhile: shutBit
	endedNoSelf             // its children are unknown
	endedLate               // its run had ended, and it is in no cell
	endedApart              // it is on no path: it is recorded by caller, or is that of a stopwatch
)

// record adds the scope to a cell. It returns false if the group of its bucket does not exist yet.
//
//go:norace
func (p *endedScope) record(c *cell.Cell) bool {
	if !p.timed {
		c.Passes++
		return true
	}
	b := c.Bucket(p.ns)
	if b == nil {
		return false
	}
	b.Add(p.ns)
	c.Note(p.ns, p.self, p.ticks, p.at)
	if p.how&endedNested != 0 {
		c.Nested += p.ns
	}
	if p.how&endedNoSelf != 0 {
		c.NoSelf++
	}
	return true
}

// recordSlow records an ended scope whose cell or group of buckets does not exist. It makes them
// for the current processor and tries again, at worst once on each processor.
//
//go:norace
//go:noinline
func recordSlow(i uint32, p *endedScope) {
	if hot.hooks&hookTrace == 0 {
		p.keep(i)
		return
	}
	from := now()
	p.keep(i)
	traceTaken(i, from)
}

// keep is recordSlow without a record in the trace. It returns false if the run had ended.
//
//go:norace
func (p *endedScope) keep(i uint32) (kept bool) {
	if lostOnSystemStack() {
		return false
	}
	for {
		pid := procPin()
		if c := cellOf(pid, i); c != nil && !p.over() && p.recordIn(pid, c) {
			procUnpin()
			break
		}
		procUnpin()
		if prepare(pid, i, p) {
			break
		}
	}
	return p.how&endedLate == 0
}

// noRun reports whether the run has ended and the next has not begun. The caller holds the lock.
//
//go:norace
func noRun() bool {
	mode := atomic.LoadUint32(&hot.mode)
	return mode == modeStopped || mode == modeInert
}

// over reports whether the scope's run has ended.
//
//go:norace
func (p *endedScope) over() bool {
	return p.slot != nil && p.slot.frozen() || int64(p.at-began.Tick) < 0
}

// prepare makes the missing cell or group for scope p of marker i on processor pid. It returns
// true if there is nothing left to do: p was recorded, in the cells that further processors share,
// or lost for lack of memory, or its run has ended.
//
//go:norace
func prepare(pid int, i uint32, p *endedScope) (done bool) {
	lock()
	defer unlock()
	if noRun() || p.over() {
		p.how |= endedLate
		if p.slot != nil && p.slot.frozen() {
			p.slot.stack.n++ // it stays open in that run's data
		}
		return true
	}
	c := makeCell(pid, i)
	if c == nil || p.timed && !c.MakeGroup(&space, cell.BucketOf(p.ns)) {
		lose()
		return true
	}
	if p.node != cct.None && !makePath(pid, p) {
		p.node = cct.None
	}
	if pid >= layout.MaxShards {
		p.recordShared(c)
		return true
	}
	return false
}

// makeCell returns the cell of marker i on processor pid, making it if necessary, or nil if there
// is no memory or no such marker. The caller holds the lock.
//
//go:norace
func makeCell(pid int, i uint32) *cell.Cell {
	if i < firstIndex || i >= nextIndex() || pid < 0 {
		return nil
	}
	pid = min(pid, layout.MaxShards)
	usedShards = max(usedShards, pid+1)
	return directory.Make(&shards[pid].cells, &arena, i, nextIndex(), func() *cell.Cell {
		return cell.New(&space, uint32(pid), uint64(i-firstIndex))
	})
}

// lose counts a scope that could not be recorded.
func lose() {
	if header != nil {
		atomic.AddUint64(headerWord(layout.OffLost), 1)
	}
}
