//go:build !markgen_off

package perf

import "runtime"

// rests tells whether the program rests: whether there are times in which none of it runs.
type rests struct {
	does   bool
	at     uint64 // when it was looked at last, monotonic, ns
	cpu    uint64 // the processor time it had taken then, ns
	waited uint64 // how long it had waited for processors that others had, ns
	waits  uint64 // how often its threads had waited for anything else
	alarms uint64 // how often timers have waited since
	next   uint64 // when to look again, monotonic, ns
	used   uint64 // how many processors it has kept busy lately, times 256; 0: not known
}

// It is looked at so often, ns, or so many times as long after as looking takes, but restsLatest after. It rests if it could have used less than so many percent
// of one processor in between; what others had when it could have run counts as used. It also rests if it has left as much of all processors and its threads wait
// more than so often, per ms and processor, for anything but a processor: those of a program that works without a rest do seldom, once in 3 ms where the collector runs.
// A thread or two have waited with each alarm of the sampler's own, which do not count.
const (
	restsEach   = 20_000_000
	restsCost   = 500
	restsLatest = 200_000_000
	restsMost   = 90
	restsWaits  = 1
	alarmWaits  = 2
)

// look finds out again, if it is time to.
//
//go:norace
func (r *rests) look() {
	t := uint64(nanotime())
	if int64(t-r.next) < 0 {
		return
	}
	cpu, waits := processUse()
	waited := waitedTime()
	if r.at != 0 {
		took := cpu - r.cpu
		lost := less(waited, r.waited) // of threads that have ended meanwhile it is not known
		theSampler.turns.add(took, lost, t-r.at)
		could, most := took+lost, (t-r.at)*restsMost/100
		often := less(waits, r.waits+alarmWaits*r.alarms)*1_000_000 > restsWaits*max(took, t-r.at)
		r.does = could < most || took < most*uint64(runtime.GOMAXPROCS(0)) && often
		used := took << 8 / (t - r.at)
		if r.used != 0 {
			used = (3*r.used + used) / 4
		}
		r.used = used
	}
	r.at, r.cpu, r.waited, r.waits, r.alarms = t, cpu, waited, waits, 0
	r.next = t + max(restsEach, min(restsCost*(uint64(nanotime())-t), restsLatest)) // others may have had the processor meanwhile
}
