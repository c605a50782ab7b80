//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A row is a line of the report.
type row struct {
	name   string
	count  uint64
	total  uint64 // ns
	nested uint64 // of that, ns inside another scope of the marker
	timed  bool

	seen, timedCount uint64 // passages that were counted and those of them that were timed
	estimated        bool   // from a sample
}

// formatReport gives the report of a program that runs without the command:
// every marker with its count, total and mean, sorted by name.
//
//go:norace
func formatReport() []byte {
	lock()
	rows := gather()
	unlock()
	sortBy(len(rows), func(i, j int) bool { return nameLess(rows[i].name, rows[j].name) },
		func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })

	b := appendHead(nil)
	for _, r := range rows {
		if !r.estimated {
			continue
		}
		if conf.windows() {
			b = append(b, "markgen: sampled 1:"...)
			b = append(appendUint(b, rate()), ", counts and times are estimates\n"...)
		} else {
			b = append(b, "markgen: times are estimates where a countdown chose the passages that were timed; counts are exact\n"...)
		}
		break
	}
	if hot.extras&extraTrace != 0 {
		b = appendTraced(b)
	}
	if hot.extras&extraUntimed != 0 {
		return b
	}
	table := [][4]string{{"marker", "count", "total", "mean"}}
	for _, r := range rows {
		line := [4]string{r.name, string(appendUint(nil, r.count)), "-", "-"}
		if r.timed {
			line[2] = string(appendPS(nil, less(r.total, r.nested), 1000, 1))
			line[3] = string(appendPS(nil, r.total, 1000, r.count))
		}
		table = append(table, line)
	}
	var w [4]int
	for _, line := range table {
		for i, s := range line {
			w[i] = max(w[i], width(s))
		}
	}
	for _, line := range table {
		b = append(b, line[0]...)
		b = appendSpaces(b, w[0]-width(line[0]))
		for i := 1; i < len(line); i++ {
			b = appendSpaces(b, 2+w[i]-width(line[i]))
			b = append(b, line[i]...)
		}
		b = append(b, '\n')
	}
	if n := atomic.LoadUint64(headerWord(layout.OffLost)); n > 0 {
		b = appendUint(append(b, "lost for want of memory or on a thread's own stack: "...), n)
		b = append(b, " passages\n"...)
	}
	return b
}

// appendHead tells which run this is and how good its clock.
func appendHead(b []byte) []byte {
	b = append(append(b, "markgen: "...), app...)
	b = appendUint(append(b, ", pid "...), *headerWord(layout.OffPID))
	b = append(b, ", "...)
	b = appendPS(b, *headerWord(layout.OffEndMono)-*headerWord(layout.OffStartMono), 1000, 1)
	b = append(b, ", clock "...)
	switch *headerWord(layout.OffClock) {
	case layout.ClockTSC:
		b = append(b, "tsc"...)
	case layout.ClockCNTVCT:
		b = append(b, "cntvct"...)
	default:
		b = append(b, "mono"...)
	}
	b = appendDuration(append(b, ", quantum "...), *headerWord(layout.OffQuantum))
	b = appendDuration(append(b, ", read "...), *headerWord(layout.OffRead))
	b = appendDuration(append(b, ", scope "...), *headerWord(layout.OffWhole))
	return append(b, '\n')
}

// appendPS appends v*scale/n picoseconds as a duration; 0/0 is 0.
func appendPS(b []byte, v, scale, n uint64) []byte {
	if n == 0 {
		return appendDuration(b, 0)
	}
	hi, lo := bits.Mul64(v, scale)
	if hi >= n {
		return append(b, '-')
	}
	q, _ := bits.Div64(hi, lo, n)
	return appendDuration(b, q)
}

func appendSpaces(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

// gather adds up the shards for every named marker and counter. Other
// goroutines may be recording meanwhile. The caller holds the lock.
//
//go:norace
func gather() []row {
	var rows []row
	index := map[uint32][]uint32{} // by number
	for i, number := range numbers {
		index[number] = append(index[number], firstIndex+uint32(i))
	}
	for k := range tables {
		t := &tables[k]
		m, c := 0, 0
		for rest := unpack(t.text); rest != ""; {
			var line string
			line, rest = cut(rest, '\n')
			switch kindOf(line) {
			case 'm':
				if m < t.markers {
					r := sum(field(line, markerName, markerName), index[t.first+uint32(m)])
					r.timed = r.total > 0 || field(line, markerKind, markerName) != "point" && !has(field(line, markerFlags, markerName), 'c')
					rows = append(rows, r)
				}
				m++
			case 'c':
				if c < t.n && t.counters != nil {
					n := atomic.LoadUint64((*uint64)(unsafe.Add(t.counters, 8*uintptr(c))))
					for _, own := range t.own {
						n += atomic.LoadUint64(own.counter(uintptr(c)))
					}
					more, estimated := ticked(uint64(k), uint64(c))
					rows = append(rows, row{name: field(line, counterName, counterName), count: n + more, estimated: estimated})
				}
				c++
			case 'b':
				c++
			}
		}
	}
	return rows
}

// sum adds up the cells of the marker that has these indexes. What is a sample is
// made an estimate of the whole.
//
//go:norace
func sum(name string, indexes []uint32) row {
	r := row{name: name}
	for _, index := range indexes {
		part := row{}
		part.addCells(index)
		factor := float64(part.seen) / float64(max(part.timedCount, 1)) // of a countdown
		if hasRate(index) {
			factor = factorOf(index)
		}
		if factor != 0 {
			part.scale(factor)
			r.estimated = true
		}
		r.count += part.count
		r.total += part.total
		r.nested += part.nested
		r.estimated = r.estimated || part.estimated
	}
	return r
}

// factorOf is what the figures are multiplied by that are recorded under an index; 0: no window has shown any.
//
//go:norace
func factorOf(index uint32) float64 {
	for _, r := range rated {
		if r.index == index && r.n != 0 {
			return r.since.estimate(r.x, layout.OffWindowStands) / r.n
		}
	}
	return 0
}

// estimate is how often something was passed since then, for which what windows have shown stands for x (see sums); stands is where in the
// header it is added up how long these stand for.
//
//go:norace
func (b *baseline) estimate(x float64, stands uintptr) float64 {
	of := less(less(*headerWord(layout.OffProfiled), b.profiled), less(*headerWord(layout.OffWindowTaken), b.taken))
	return x * float64(of) / float64(max(less(*headerWord(stands), b.stands), 1))
}

// scale multiplies the figures.
func (r *row) scale(factor float64) {
	for _, v := range [...]*uint64{&r.count, &r.total, &r.nested} {
		*v = uint64(float64(*v)*factor + 0.5)
	}
}

//go:norace
//go:nocheckptr
func (r *row) addCells(i uint32) {
	for k := range usedShards {
		d := shards[k].dir
		if d == nil || uint64(i) >= d.n || d.of[i%maxIndex] == nil {
			continue
		}
		c := d.of[i%maxIndex]
		r.count += c.passes
		r.seen += c.seen
		for k := range c.groups {
			g := c.groups[k].p
			if g == nil {
				continue
			}
			for b := range g.buckets {
				r.count += g.buckets[b].count
				r.timedCount += g.buckets[b].count
				r.total += g.buckets[b].sum
			}
		}
		r.nested += c.nested
	}
}
