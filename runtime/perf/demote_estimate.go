//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// A marker is checked when it is demoted, and when its retiming ends. The scopes timed from one check
// to the next are a sample of all scopes in between, so their times are multiplied by the ratio of
// the two numbers and added up. The longest thousandth are added as they are: most of these were
// preempted.

// An estimate is a BlockDemoted.
type estimate struct {
	kind      uint32
	shard     uint32
	bytes     uint64
	marker    uint64 // its index less firstIndex
	early     uint64 // total time of the scopes before the first demotion, ns
	scopes    uint64 // number of scopes until the last check
	self      uint64 // self time of these, ns
	timedSelf uint64 // self time of those of them that were timed, ns
	buckets   [layout.NumBuckets]timedBucket
	timed     [layout.NumBuckets]timedBucket
}

// A timedBucket is the number and the sum, in ns, of the scopes in a bucket.
type timedBucket struct{ count, sum uint64 }

var _ = [1]struct{}{}[unsafe.Offsetof(estimate{}.buckets)-layout.OffDemotedData]

// estimates is indexed by index less firstIndex; nil if the marker was never demoted. Under the
// lock.
var estimates []*estimate

// estimateOf returns the estimate of the marker of index k+firstIndex; nil if it was never demoted.
// The caller holds the lock.
//
//go:norace
func estimateOf(k uint32) *estimate {
	if k < uint32(len(estimates)) {
		return estimates[k]
	}
	return nil
}

// beginEstimate makes the estimate of the marker of index k+firstIndex, which is to be demoted for
// the first time. It returns false if there is no memory left. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func beginEstimate(k uint32, timed *times) bool {
	for uint32(len(estimates)) <= k {
		estimates = append(estimates, nil)
	}
	e := (*estimate)(space.New(layout.BlockDemoted, 0, unsafe.Sizeof(estimate{})))
	if e == nil {
		return false
	}
	e.marker = uint64(k)
	e.add(timed, timed.n)
	for _, b := range e.timed {
		e.early += b.sum
	}
	space.Publish(unsafe.Pointer(e))
	estimates[k] = e
	return true
}

// since returns what was timed since the last check.
//
//go:norace
func (t *times) since(e *estimate) (later times) {
	later.self = t.self - e.timedSelf
	for k := range t.counts {
		later.counts[k], later.sums[k] = t.counts[k]-e.timed[k].count, t.sums[k]-e.timed[k].sum
		later.n += later.counts[k]
	}
	return later
}

// add adds what was timed since the last check, as a sample of all scopes since then. scopes is
// the number of scopes of the whole run. The caller holds the lock.
//
//go:norace
func (e *estimate) add(later *times, scopes uint64) {
	if later.n == 0 {
		return
	}
	long, n := layout.NumBuckets, uint64(0)
	for long > 0 && n+later.counts[long-1] <= min(later.n/layout.DemotedTrim+1, later.n-1) {
		long--
		n += later.counts[long]
	}
	factor := max(1, (float64(scopes)-float64(e.scopes+n))/float64(later.n-n))
	var sum, scaled float64
	for k := range later.counts {
		by := factor
		if k >= long {
			by = 1
		}
		e.buckets[k].count += uint64(by*float64(later.counts[k]) + 0.5)
		e.buckets[k].sum += uint64(by*float64(later.sums[k]) + 0.5)
		e.timed[k].count += later.counts[k]
		e.timed[k].sum += later.sums[k]
		sum += float64(later.sums[k])
		scaled += by * float64(later.sums[k])
	}
	if sum > 0 {
		e.self += uint64(float64(later.self) * scaled / sum)
	}
	e.timedSelf += later.self
	e.scopes = scopes
}

// scopesOf returns the number of scopes of a marker that have ended, of which timed were timed. The
// caller holds the lock.
//
//go:norace
//go:nocheckptr
func scopesOf(m *Marker, timed uint64) uint64 {
	n, index := timed, shared.Load(&m.index)&layout.IndexMask
	for shard := range usedShards {
		if c := cellIn(shard, index); c != nil {
			n += c.Passes
		}
	}
	if t, i := findTable(m); t != nil && t.counters != nil && t.counterWords() > uintptr(t.n) {
		at := uintptr(t.n) + uintptr(i)
		n += atomic.LoadUint64((*uint64)(unsafe.Add(t.counters, 8*at)))
		for _, own := range t.own {
			n += atomic.LoadUint64(own.counter(at))
		}
	}
	return n
}
