//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// The scopes of a demoted marker that were timed in rounds (demote_retime.go) are a sample of all
// scopes since the sample before. So their times are multiplied by the ratio of the two numbers and
// added up, once there are minAdded of them. The longest thousandth are added as they are: most of
// these were preempted.

// minAdded is the minimum number of scopes in a sample.
const minAdded = 128

// An estimate is a BlockDemoted.
type estimate struct {
	kind      uint32
	shard     uint32
	bytes     uint64
	marker    uint64 // its index less firstIndex
	fine      uint64 // 1 if its scopes are timed in fine rounds only
	scopes    uint64 // number of scopes until the last sample
	self      uint64 // self time of these, ns
	timedSelf uint64 // self time of those of them that were timed, ns
	buckets   [layout.NumBuckets]timedBucket
	timed     [layout.NumBuckets]timedBucket

	// For the runtime alone.
	factor  float64 // by which the last sample was multiplied
	last    uint64  // changes with the ends of timed scopes, see isNew
	inRound bool    // it is timed in the current round
	open    uint64  // the last time that settleDemoted found a scope of it open
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
	e.classify(timed)
	space.Publish(unsafe.Pointer(e))
	estimates[k] = e
	return true
}

// since returns what was timed since the last sample.
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

// leaveOut makes the next sample begin now: what was timed since the last one is left out. The caller
// holds the lock.
//
//go:norace
func (e *estimate) leaveOut(timed *times) {
	for k := range timed.counts {
		e.timed[k] = timedBucket{timed.counts[k], timed.sums[k]}
	}
	e.timedSelf = timed.self
}

// add adds what was timed since the last sample, as a sample of all scopes since then. scopes is the
// number of scopes of the whole run. The caller holds the lock.
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
	e.factor = factor
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
func scopesOf(m *Marker, timed uint64) uint64 {
	n, _ := passesOf(shared.Load(&m.index) & layout.IndexMask)
	if t, i := findTable(m); t != nil {
		n += t.countAt(uintptr(t.n) + uintptr(i))
	}
	return n + timed
}
