//go:build !markgen_off

package runtime

// rests tells whether the program rests: whether there are times in which none of it runs.
type rests struct {
	does   bool
	at     uint64 // when it was looked at last, monotonic, ns
	cpu    uint64 // the processor time it had taken then, ns
	waited uint64 // how long it had waited for processors that others had, ns
	next   uint64 // when to look again, monotonic, ns
	used   uint64 // how many processors it has kept busy lately, times 256; 0: not known
}

// It is looked at so often, ns, or so many times as long after as looking takes, but restsLatest after, and rests if it could have used less than so many percent
// of one processor in between.
const (
	restsEach   = 20_000_000
	restsCost   = 500
	restsLatest = 200_000_000
	restsMost   = 90
)

// look finds out again, if it is time to.
//
//go:norace
func (r *rests) look() {
	t := uint64(nanotime())
	if int64(t-r.next) < 0 {
		return
	}
	cpu, waited := processTime(), waitedTime()
	if r.at != 0 {
		took := cpu - r.cpu
		lost := less(waited, r.waited) // of threads that have ended meanwhile it is not known
		theSampler.turns.add(took, lost, t-r.at)
		could := took + lost
		r.does = could*100 < (t-r.at)*restsMost
		used := took << 8 / (t - r.at)
		if r.used != 0 {
			used = (3*r.used + used) / 4
		}
		r.used = used
	}
	r.at, r.cpu, r.waited = t, cpu, waited
	r.next = t + max(restsEach, min(restsCost*(uint64(nanotime())-t), restsLatest)) // others may have had the processor meanwhile
}
