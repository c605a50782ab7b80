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

// Known is what programs know of earlier runs when they pick functions at random (the key
// known): which to prefer, and which not to time together. Its zero value says nothing.
//
// As a file it is text: a line `ID RUNS` for each function, and a line `ID conflicts ID ID …`
// for those that share stacks with others.
type Known struct {
	Runs      map[registry.ID]uint64        // in how many runs a function was measured
	conflicts map[registry.ID][]registry.ID // of the smaller ID with larger ones, sorted
}

// ParseKnown reads such a file. An error names the line.
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

// Measured takes from p in how many runs each function was measured: those that picked it,
// and those that collected at all functions. Where pairs were recorded, it takes from them
// which functions share a stack.
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

// Conflict says that two functions share a stack, so that the time of one has the cost of
// the other's marker in it.
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

// Bytes is the file, in the order of IDs.
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
