package runfile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

var causes = map[uint32]string{
	layout.LogBegin:   "begin",
	layout.LogProgram: "program",
	layout.LogEvent:   "event",
	layout.LogTimer:   "timer",
	layout.LogOutside: "outside",
	layout.LogEnd:     "end",
}

// log reads the changes of state.
func (r *run) log(b block) error {
	head, err := r.content(b, layout.OffLogData)
	if err != nil {
		return err
	}
	all := r.order.Uint64(head[layout.OffLogLen:])
	n := min(all, layout.LogRoom, (b.size-layout.OffLogData)/layout.LogSize)
	r.Unlogged = all - n
	data, err := r.content(b, layout.OffLogData+n*layout.LogSize)
	if err != nil {
		return err
	}
	for data = data[layout.OffLogData:]; len(data) >= layout.LogSize; data = data[layout.LogSize:] {
		tick := r.order.Uint64(data[layout.LogTick:])
		if tick == 0 {
			continue
		}
		word := func(offset int) uint32 { return r.order.Uint32(data[offset:]) }
		r.changes = append(r.changes, change{word(layout.LogMarker), tick, profile.Change{
			AtNS:  profile.Duration(r.header.word(layout.OffStartTick), tick, r.Clock.Hz),
			From:  stateName(uint64(word(layout.LogFrom))),
			To:    stateName(uint64(word(layout.LogTo))),
			Cause: cmp.Or(causes[word(layout.LogCause)], "unknown"),
		}})
	}
	return nil
}

// change is a Change with the number of its marker and its time in ticks.
type change struct {
	number uint32
	tick   uint64
	profile.Change
}

// pauses returns the ticks at which the run stopped collecting, in order.
func (r *run) pauses() (ticks []uint64) {
	for _, c := range r.changes {
		if c.From == stateName(layout.StateProfiling) {
			ticks = append(ticks, c.tick)
		}
	}
	slices.Sort(ticks)
	return ticks
}

// words records where the words of a table's markers are.
func (r *run) words(b block) error {
	head, err := r.content(b, layout.OffMarkersData+8)
	if err != nil {
		return err
	}
	n, at := r.order.Uint64(head[layout.OffMarkersLen:]), r.order.Uint64(head[layout.OffMarkersData:])
	if n == 0 {
		return nil // they could not be mapped
	}
	if at > b.size || n > (b.size-at)/layout.MarkerSize {
		return r.damaged(b.offset, "words of %d markers in a block of %d bytes; they are left out", n, b.size)
	}
	r.pages = append(r.pages, b)
	return nil
}

// steered finds the markers that are off, and names the markers that changed the state. It needs
// all tables.
func (r *run) steered() {
	for _, b := range r.pages {
		head, err := r.content(b, layout.OffMarkersData+8)
		if err != nil {
			r.damagedAt(err)
			continue
		}
		t := r.tables[r.order.Uint64(head[layout.OffMarkersTable:])]
		if t == nil {
			continue
		}
		n, at := r.order.Uint64(head[layout.OffMarkersLen:]), r.order.Uint64(head[layout.OffMarkersData:])
		index := t.first
		r.damagedIf(r.each(b.offset+at, min(n, uint64(len(t.Markers))), layout.MarkerSize, func(data []byte) {
			for ; len(data) > 0; index, data = index+1, data[layout.MarkerSize:] {
				if why := whyOff(r.order.Uint32(data[layout.MarkerIndex:])); why != "" {
					r.off[index] = why
				} else if r.order.Uint32(data[layout.MarkerOff:])&layout.OffDemoted != 0 {
					r.off[index] = profile.Demoted
				}
			}
		}))
	}
	slices.SortStableFunc(r.changes, func(a, b change) int { return cmp.Compare(a.AtNS, b.AtNS) })
	for _, c := range r.changes {
		if m := r.named(uint64(c.number)); c.number != 0 && m != nil {
			c.Marker = m.ID
		}
		r.Changes = append(r.Changes, c.Change)
	}
	if r.neverBegun() {
		r.warn("nothing was collected: no start= came while the program ran; markgen ctl has start for a program that waits")
	}
}

// neverBegun reports whether a finished run waited for a start= trigger that never fired.
func (r *run) neverBegun() bool {
	starts := func(setting string) bool { return strings.HasPrefix(strings.TrimSpace(setting), "start=") }
	return r.State == stateName(layout.StateStopped) && slices.ContainsFunc(strings.Split(r.header.text(layout.OffConfig, layout.SizeConfig), ","), starts) &&
		!slices.ContainsFunc(r.Changes, func(c profile.Change) bool { return c.To == stateName(layout.StateProfiling) })
}

func whyOff(index uint32) string {
	switch {
	case index&layout.IndexOffChoice != 0:
		return "choice"
	case index&layout.IndexOffEnough != 0:
		return "enough"
	case index&layout.IndexOffThrottled != 0:
		return "throttled"
	}
	return ""
}
