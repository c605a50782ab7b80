package profile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/registry"
)

// Known is what programs know about earlier runs when they pick functions at random (the key
// known): which functions to prefer, and which not to time together. The zero value is empty.
//
// Its file format is text: a line `ID RUNS` for each function, and a line `ID conflicts ID ID …`
// for functions that share stacks with others.
type Known struct {
	Runs      map[registry.ID]uint64        // number of runs in which a function was measured
	conflicts map[registry.ID][]registry.ID // larger IDs by the smaller ID, sorted
}

// ParseKnown parses a file in that format. Errors name the line.
func ParseKnown(text []byte) (*Known, error) {
	k := &Known{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		fields := strings.Split(strings.TrimRight(string(line), "\r\n"), " ")
		if fields[0] == "" && len(fields) == 1 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if !k.parse(fields) {
			return nil, fmt.Errorf("line %d: %.80q is not ID RUNS, or ID conflicts ID", n, line)
		}
	}
	return k, nil
}

func (k *Known) parse(fields []string) bool {
	id, err := registry.ParseID(fields[0])
	if err != nil || len(fields) < 2 {
		return false
	}
	if fields[1] != "conflicts" {
		runs, err := strconv.ParseUint(fields[1], 10, 64)
		k.set(id, runs)
		return err == nil && len(fields) == 2
	}
	for _, field := range fields[2:] {
		other, err := registry.ParseID(field)
		if err != nil {
			return false
		}
		k.Conflict(id, other)
	}
	return len(fields) > 2
}

func (k *Known) set(id registry.ID, runs uint64) {
	if k.Runs == nil {
		k.Runs = map[registry.ID]uint64{}
	}
	k.Runs[id] = runs
}

// Measured sets the number of runs in which each function was measured in p: runs that picked it,
// and runs that collected all functions. If p has pairs, it also adds the conflicts of functions
// that shared a stack.
func (k *Known) Measured(p *Profile) {
	all := uint64(max(p.Runs, 0))
	if w := p.Wild; w != nil {
		all -= min(all, Add64(w.Runs, w.Declined()))
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Kind != "func" || m.CountOnly {
			continue
		}
		runs := all
		if m.Picks != nil {
			runs = Add64(runs, m.Picks.Runs)
		}
		k.set(m.ID, runs)
	}
	if p.Pairs == nil {
		return
	}
	for _, pair := range p.Pairs.List {
		_, a := k.Runs[pair[0]]
		_, b := k.Runs[pair[1]]
		if a && b {
			k.Conflict(pair[0], pair[1])
		}
	}
}

// Conflict records that two functions share a stack, so that the time of one includes the cost of
// the other's marker.
func (k *Known) Conflict(a, b registry.ID) {
	if a == b {
		return
	}
	if k.conflicts == nil {
		k.conflicts = map[registry.ID][]registry.ID{}
	}
	a, b = min(a, b), max(a, b)
	if i, found := slices.BinarySearch(k.conflicts[a], b); !found {
		k.conflicts[a] = slices.Insert(k.conflicts[a], i, b)
	}
}

// Bytes returns k in the file format, sorted by ID.
func (k *Known) Bytes() []byte {
	var b []byte
	for _, id := range slices.Sorted(maps.Keys(k.Runs)) {
		b = fmt.Appendf(b, "%s %d\n", id, k.Runs[id])
	}
	for _, id := range slices.Sorted(maps.Keys(k.conflicts)) {
		b = fmt.Appendf(b, "%s conflicts", id)
		for _, other := range k.conflicts[id] {
			b = fmt.Appendf(b, " %s", other)
		}
		b = append(b, '\n')
	}
	return b
}
