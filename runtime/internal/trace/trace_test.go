package trace

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A testFile has the header and the rings of a data file, and records the calls of its Host
// functions.
type testFile struct {
	header [layout.HeaderSize / 8]uint64
	rings  Rings
	t      *testing.T
	blocks []testRing // also keeps the rings alive, whose addresses are in use
	full   bool
	now    uint64

	lock       sync.Mutex
	published  int
	asked      atomic.Int64 // calls of Now: one for each record on the slow path, and one for each ring
	discounted int
}

// A testRing is a BlockRing, as words.
type testRing []uint64

// open opens Rings with room for room records each.
func open(t *testing.T, room uint64) *testFile {
	f := &testFile{t: t}
	f.rings.Open(Host{
		Lock: f.lock.Lock, Unlock: f.lock.Unlock,
		Now: func() uint64 {
			f.asked.Add(1)
			return f.now
		},
		NewBlock: func(shard uint32, size uintptr) unsafe.Pointer {
			if f.lock.TryLock() {
				f.lock.Unlock()
				t.Error("a ring is made without the lock")
			}
			if f.full {
				return nil
			}
			b := make(testRing, size/8)
			b[0], b[1] = layout.BlockRing|uint64(shard)<<32, uint64(size)
			f.blocks = append(f.blocks, b)
			return unsafe.Pointer(&b[0])
		},
		Publish: func(p unsafe.Pointer) {
			if b := f.blocks[len(f.blocks)-1]; p != unsafe.Pointer(&b[0]) || b.at(layout.RingRoom) != room {
				t.Error("a ring is published that is not complete")
			}
			f.published++
		},
		Discount: func(since uint64) {
			f.lock.Lock()
			f.discounted++
			f.lock.Unlock()
		},
	}, unsafe.Pointer(&f.header[0]), room)
	return f
}

// onOneProcessor makes all records go to one ring.
func onOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// write writes records with the ticks from first to last.
func (f *testFile) write(first, last uint64) {
	for tick := first; tick <= last; tick++ {
		f.now = tick
		f.rings.Write(procPin(), 7, 2, 1, tick, 5)
	}
}

// counts returns the number of records that are in the rings or were drained, and the number of lost
// records.
func (r *Rings) counts() (records, lost uint64) {
	lost = atomic.LoadUint64(r.word(layout.OffTraceLost))
	for i := range r.of {
		e := &r.of[i]
		b := e.block
		if b == nil || b == &noRing {
			continue
		}
		there := e.written
		if waiting := there - atomic.LoadUint64(&b.drained); waiting >= e.room {
			there -= waiting - (e.room - 1)
		}
		records += there
		lost += e.written - there + b.lost
	}
	return records, lost
}

func (f *testFile) wantCounts(records, lost uint64) {
	f.t.Helper()
	if r, l := f.rings.counts(); r != records || l != lost {
		f.t.Errorf("%d records, %d lost; want %d and %d", r, l, records, lost)
	}
}

func (b testRing) at(off int) uint64 { return b[off/8] }

// record returns the record with that number, and checks the number.
func (b testRing) record(t *testing.T, n uint64) record {
	t.Helper()
	r := *(*record)(unsafe.Pointer(&b[layout.RingData/8+n%b.at(layout.RingRoom)*layout.RecordSize/8]))
	if r.cost>>layout.RecordCostBits != n {
		t.Fatalf("in the place of record %d is record %d", n, r.cost>>layout.RecordCostBits)
	}
	r.cost &= maxCost
	return r
}

// wantTicks checks the ticks of the records from that number on.
func (b testRing) wantTicks(t *testing.T, n, first, last uint64) {
	t.Helper()
	for tick := first; tick <= last; tick++ {
		if r := b.record(t, n); r.tick != tick {
			t.Fatalf("record %d has tick %d, want %d", n, r.tick, tick)
		}
		n++
	}
	if got := b.at(layout.RingWritten); got != n {
		t.Errorf("%d records are written, want %d", got, n)
	}
}

// Records are in order, and numbered. The cost of a record on the slow path includes the slow path.
func TestOrder(t *testing.T) {
	onOneProcessor(t)
	const touched = touchedAtOnce / layout.RecordSize
	f := open(t, 2*touched)
	f.write(1, touched+10)
	f.now += 3
	f.rings.WriteSlow(8, 3|layout.RecordTaken<<layout.RecordKindShift, 0, f.now-2)
	if len(f.blocks) != 1 || f.published != 1 || f.discounted != 1 {
		t.Fatalf("%d rings, %d of them published, and the time of %d discounted", len(f.blocks), f.published, f.discounted)
	}
	b := f.blocks[0]
	b.wantTicks(t, 0, 1, touched+10+1)
	if got, want := b.record(t, 1), (record{2, 7, 2, 1, 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := b.record(t, touched+10), (record{touched + 11, 8, 3 | layout.RecordTaken<<layout.RecordKindShift, 0, 2 << 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if n := f.asked.Load(); n != 3+1 {
		t.Errorf("asked for the time %d times", n)
	}
	f.wantCounts(touched+11, 0)
}

// The cost of a record has 40 bits, and is 0 if the clock goes back.
func TestCost(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 8)
	f.now = 1 << 50
	f.rings.WriteSlow(7, 2, 0, 1)
	f.rings.WriteSlow(7, 2, 0, f.now+1)
	if first, second := f.blocks[0].record(t, 0).cost, f.blocks[0].record(t, 1).cost; first != maxCost || second != 0 {
		t.Errorf("costs %d and %d", first, second)
	}
}

// A ring that no process drains keeps the newest records.
func TestNewest(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 8)
	f.write(1, 20)
	f.blocks[0].wantTicks(t, 12, 13, 20)
	f.wantCounts(7, 13)

	const room = 2 * touchedAtOnce / layout.RecordSize
	f = open(t, room)
	f.write(1, room+1)
	f.blocks[0].wantTicks(t, 1, 2, room+1)
}

// If the drainer lags, records are lost, and a record says how many, and when.
func TestGap(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 64)
	f.header[layout.OffDrainer/8] = uint64(os.Getpid())
	f.write(1, 70)
	b := f.blocks[0]
	b.wantTicks(t, 0, 1, 63)
	b[layout.RingDrained/8] = 4 // room for a few is not enough
	f.write(71, 75)
	if b.at(layout.RingGap) != 12 || b.at(layout.RingGapTick) != 64 || b.at(layout.RingGapLast) != 75 {
		t.Errorf("%d records are missing from %d to %d", b.at(layout.RingGap), b.at(layout.RingGapTick), b.at(layout.RingGapLast))
	}
	f.wantCounts(63, 12)
	b[layout.RingDrained/8] = 60
	f.write(76, 80)
	if got, want := b.record(t, 63), (record{64, 12, layout.RecordGap << layout.RecordKindShift, 0, 11}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.wantTicks(t, 64, 76, 80)
	if b.at(layout.RingGap) != 0 || b.at(layout.RingLost) != 12 {
		t.Errorf("%d records are missing and %d lost", b.at(layout.RingGap), b.at(layout.RingLost))
	}
	f.wantCounts(69, 12)
}

// A drainer that starts late finds a full ring.
func TestLateDrainer(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 16)
	f.write(1, 32)
	f.header[layout.OffDrainer/8] = uint64(os.Getpid())
	b := f.blocks[0]
	b[layout.RingDrained/8] = 32 - 14 // there has to be room for two
	f.write(33, 33)
	b[layout.RingDrained/8] = 30
	f.write(34, 34)
	if got, want := b.record(t, 32), (record{33, 1, layout.RecordGap << layout.RecordKindShift, 0, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.wantTicks(t, 33, 34, 34)
	f.wantCounts(34, 1)
}

// When the drainer has ended, the rings keep the newest records again.
func TestDeadDrainer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("rings are drained on Linux")
	}
	onOneProcessor(t)
	f := open(t, 16)
	f.header[layout.OffDrainer/8] = uint64(os.Getpid())
	f.write(1, 20)
	f.header[layout.OffDrainer/8] = 1 << 30 // more than the system's largest process ID
	f.write(21, 15+lostAtOnce)
	if f.header[layout.OffDrainer/8] == 0 {
		t.Error("the system is asked for the drainer too often")
	}
	f.write(16+lostAtOnce, 17+lostAtOnce)
	if f.header[layout.OffDrainer/8] != 0 {
		t.Fatal("there still is a drainer")
	}
	f.write(18+lostAtOnce, 30+lostAtOnce)
	b := f.blocks[0]
	if r := b.record(t, 15); r.marker != layout.RecordGap<<layout.RecordKindShift || r.goroutine != b.at(layout.RingLost) {
		t.Errorf("%+v in the place of %d records", r, b.at(layout.RingLost))
	}
	n := b.at(layout.RingWritten)
	b.wantTicks(t, n-10, 21+lostAtOnce, 30+lostAtOnce)
}

// Without a ring, records are counted as lost.
func TestNoRing(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 8)
	f.full = true
	f.write(1, 5)
	f.rings.Lose()
	if lost := f.header[layout.OffTraceLost/8]; lost != 6 || f.published != 0 {
		t.Errorf("%d records are lost, %d rings published", lost, f.published)
	}
	f.wantCounts(0, 6)
}

// Processors beyond MaxShards share a ring.
func TestShared(t *testing.T) {
	const writers, each = 4, 1000
	f := open(t, writers*each+1)
	var wg sync.WaitGroup
	for id := uint64(0); id < writers; id++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for tick := uint64(0); tick < each; tick++ {
				f.rings.writeShared(&record{tick, id, 2, 1, 0})
			}
		}()
	}
	wg.Wait()
	if len(f.blocks) != 1 || f.blocks[0].at(0) != layout.BlockRing|layout.MaxShards<<32 {
		t.Fatalf("%d rings", len(f.blocks))
	}
	f.wantSequences(writers, each)
	onOneProcessor(t)
	procPin()
	f.rings.Write(layout.MaxShards, 7, 2, 1, 1, 5) // the goroutine does not run on this processor
	f.blocks[1].wantTicks(t, 0, 1, 1)
}

// Any number of goroutines write at once, each to the ring of its current processor.
func TestConcurrent(t *testing.T) {
	const writers, each = 8, 5000
	f := open(t, writers*each+1)
	var wg sync.WaitGroup
	for id := uint64(0); id < writers; id++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for tick := uint64(0); tick < each; tick++ {
				f.rings.Write(procPin(), id, 2, 1, tick, 5)
				if tick%1000 == 0 {
					runtime.Gosched()
				}
			}
		}()
	}
	wg.Wait()
	f.wantSequences(writers, each)
}

// wantSequences checks that each of a number of goroutines has written a number of records, in order
// in each ring.
func (f *testFile) wantSequences(goroutines, each uint64) {
	f.t.Helper()
	f.wantCounts(goroutines*each, 0)
	seen := map[[2]uint64]bool{}
	for _, b := range f.blocks {
		next := make([]uint64, goroutines)
		for n := range b.at(layout.RingWritten) {
			r := b.record(f.t, n)
			if r.tick < next[r.goroutine] || r.tick >= each {
				f.t.Fatalf("goroutine %d wrote tick %d before %d", r.goroutine, next[r.goroutine]-1, r.tick)
			}
			next[r.goroutine] = r.tick + 1
			seen[[2]uint64{r.goroutine, r.tick}] = true
		}
	}
	if len(seen) != int(goroutines*each) {
		f.t.Errorf("%d records differ, want %d", len(seen), goroutines*each)
	}
}

// No record is written to zero Rings, and no ring is made once they are closed.
func TestClosed(t *testing.T) {
	onOneProcessor(t)
	var none Rings
	none.Write(procPin(), 7, 2, 1, 1, 5)
	none.WriteSlow(7, 2, 1, 1)
	none.Lose()
	none.UseScratch(0)
	none.LeaveScratch(0)
	f := open(t, 8)
	f.rings.Close()
	f.write(1, 5)
	f.rings.writeShared(&record{tick: 1})
	f.rings.Lose()
	f.wantCounts(0, 0)
	if len(f.blocks) != 0 || f.asked.Load() != 0 {
		t.Errorf("%d rings, and asked for the time %d times", len(f.blocks), f.asked.Load())
	}
}

// Calibration's records are in no ring, whether or not it is drained.
func TestScratch(t *testing.T) {
	onOneProcessor(t)
	f := open(t, 8)
	f.write(1, 3)
	f.header[layout.OffDrainer/8] = uint64(os.Getpid())
	f.rings.UseScratch(0)
	for round := uint64(1); round <= 3; round++ {
		f.asked.Store(0)
		for n := range uint64(ScratchRecords / 2) {
			f.rings.Write(procPin(), 7, 1, 1, 1000*n, 5)
			f.rings.Write(procPin(), 7, 1, 1, 1000*n+round, 5)
		}
		if sum := f.rings.ScratchTicks(); sum != round*ScratchRecords/2 || f.asked.Load() != 1 {
			t.Errorf("scopes of %d ticks, want %d; asked for the time %d times", sum, round*ScratchRecords/2, f.asked.Load())
		}
	}
	f.rings.LeaveScratch(0)
	f.header[layout.OffDrainer/8] = 0
	f.write(4, 5)
	f.blocks[0].wantTicks(t, 0, 1, 5)
	f.wantCounts(5, 0)
}
