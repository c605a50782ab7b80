package report

import (
	pprof "github.com/google/pprof/profile"

	"github.com/markgen/markgen/profile"
)

// paths adds a sample for each path, with all markers from the outermost scope on as its stack, and one
// for what of a marker is on no path, with the marker alone as its stack. pprof adds up the values of
// samples whose stacks have a function, and calls that cum. For cum to be the path's total, a sample's
// total is without the scopes inside: if a took 10 s, of which b took 8, then a has 2 and a→b has 8.
func (b *pprofBuilder) paths(p *profile.Profile, markers []*profile.Marker) {
	nodes, _ := pathTree(p)
	if b.allocated = allocated(p); b.allocated {
		b.out.SampleType = append(b.out.SampleType, &pprof.ValueType{Type: "alloc_objects", Unit: "count"}, &pprof.ValueType{Type: "alloc_space", Unit: "bytes"})
	}
	rest := map[*profile.Marker]values{}
	for _, m := range markers {
		rest[m] = values{m.Count, m.TotalNS(), m.SelfNS, allocValue(m.Readings, profile.AllocObjects), allocValue(m.Readings, profile.AllocBytes)}
	}
	for i, n := range nodes {
		if n.ID == 0 {
			continue // counted in what its markers have on no path
		}
		own := values{n.Count, n.totalNS, n.SelfNS, allocValue(n.Readings, profile.AllocObjects), allocValue(n.Readings, profile.AllocBytes)}
		left := rest[n.marker].less(own)
		if within(p.Paths.Nodes, i) {
			left.total = rest[n.marker].total // it is in the total of the outer node of the same marker
		}
		rest[n.marker] = left
		for _, child := range n.children {
			if !child.Go {
				own.total = profile.Sub64(own.total, child.totalNS)
			}
		}
		b.sample(b.stack(nodes, n), b.pathLabel(nodes, n), own)
	}
	for _, m := range markers {
		b.sample([]*pprof.Location{b.location(frame{m, m.Line})}, b.label(m), rest[m])
	}
}

// allocated reports whether allocations of goroutines are known for some path.
func allocated(p *profile.Profile) bool {
	for i := range p.Paths.Nodes {
		if allocReading(p.Paths.Nodes[i].Readings) != nil {
			return true
		}
	}
	return false
}

func allocReading(list []profile.Reading) *profile.Reading {
	return (&profile.Marker{Readings: list}).Reading(profile.Alloc)
}

// allocValue returns the allocations of the scopes themselves, without those of scopes inside.
func allocValue(list []profile.Reading, name string) uint64 {
	if v := allocReading(list).Value(name); v != nil {
		return v.Self
	}
	return 0
}

// stack returns the locations of a node, innermost first. The line of an outer frame is where the
// next one was opened, as far as that is known.
func (b *pprofBuilder) stack(nodes []*pathNode, n *pathNode) []*pprof.Location {
	stack := []*pprof.Location{b.location(frame{n.marker, n.marker.Line})}
	for n.Parent >= 0 {
		outer := nodes[n.Parent]
		if outer.ID != 0 {
			stack = append(stack, b.location(frame{outer.marker, leftAt(outer.marker, n.marker)}))
		}
		n = outer
	}
	return stack
}

// pathLabel returns the labels of a node's sample: those of its marker, and the values of label= from
// the outermost scope on.
func (b *pprofBuilder) pathLabel(nodes []*pathNode, n *pathNode) map[string][]string {
	var values []string
	for at := n; ; at = nodes[at.Parent] {
		if at.Label != "" {
			values = append([]string{at.Label}, values...)
		}
		if at.Parent < 0 {
			break
		}
	}
	labels := b.label(n.marker)
	if len(values) == 0 {
		return labels
	}
	all := map[string][]string{"label": values}
	for name, value := range labels {
		all[name] = value
	}
	return all
}
