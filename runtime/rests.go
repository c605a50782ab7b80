//go:build !markgen_off

package runtime

// rests tells whether the program rests: whether there are times in which none of it runs.
type rests struct {
	does    bool
	at, cpu uint64 // when it was looked at last, monotonic, and the processor time it had taken then, ns
	used    uint64 // how many processors it has kept busy lately, times 256; 0: not known
}

// It is looked at so often, ns, and rests if it has taken less than so many percent of one processor in between.
const (
	restsEach = 20_000_000
	restsMost = 90
)

// look finds out again, if it is time to.
//
//go:norace
func (r *rests) look() {
	t := uint64(nanotime())
	if t-r.at < restsEach {
		return
	}
	cpu := processTime()
	if r.at != 0 {
		r.does = (cpu-r.cpu)*100 < (t-r.at)*restsMost
		used := (cpu - r.cpu) << 8 / (t - r.at)
		if r.used != 0 {
			used = (3*r.used + used) / 4
		}
		r.used = used
	}
	r.at, r.cpu = t, cpu
}
