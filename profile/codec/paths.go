package codec

import (
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Bits that say which data of a path follow.
const (
	bitGo = 1 << iota
	bitLabel
	bitPathTimed
	bitPathReadings
	bitPathBuckets
	pathBitsKnown = iota // number of bits
)

// leastPath is the minimum size of a path in bytes: parent, marker, bits and count.
const leastPath = 4

// pathMarkers returns an error if a path has a marker that is not in the profile, or a parent that
// is not before it.
func pathMarkers(p *profile.Profile) (map[registry.ID]int, error) {
	if p.Paths == nil {
		return nil, nil
	}
	index := make(map[registry.ID]int, len(p.Markers))
	for i := range p.Markers {
		index[p.Markers[i].ID] = i + 1
	}
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		if n.ID != 0 && index[n.ID] == 0 || n.Parent < -1 || n.Parent >= i {
			return nil, fmt.Errorf("a path with the marker %s and the parent %d can't be written", n.ID, n.Parent)
		}
	}
	return index, nil
}

// paths appends the nodes; index has the number of each marker, from 1.
func (b *encoder) paths(p *profile.Paths, index map[registry.ID]int) {
	b.uints(p.Runs, p.Lost, p.Labels, uint64(len(p.Nodes)))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		timed := n.SumNS|n.NestedNS|n.SelfNS != 0
		up := uint64(0)
		if n.Parent >= 0 {
			up = uint64(i - n.Parent)
		}
		b.uints(up, uint64(index[n.ID]))
		b.uint(bitIf(n.Go, bitGo) | bitIf(n.Label != "", bitLabel) | bitIf(timed, bitPathTimed) | bitIf(len(n.Readings) > 0, bitPathReadings) | bitIf(len(n.Buckets) > 0, bitPathBuckets))
		b.uint(n.Count)
		if n.Label != "" {
			b.text(n.Label)
		}
		if timed {
			b.uints(n.SumNS, n.NestedNS, n.SelfNS)
		}
		if len(n.Readings) > 0 {
			b.readings(n.Readings)
		}
		if len(n.Buckets) > 0 {
			b.uint(uint64(len(n.Buckets)))
			for _, one := range n.Buckets {
				b.uints(uint64(one.K), one.Count, one.SumNS)
			}
		}
	}
}

// paths reads what encoder.paths wrote; ids are those of the markers in the file. It returns nil if
// there are more than most.
func (r *reader) paths(ids func(i int) registry.ID, markers, most int) *profile.Paths {
	p := &profile.Paths{Runs: r.uint(), Lost: r.uint(), Labels: r.uint()}
	n := r.count(leastPath)
	if n > most {
		return nil
	}
	nodes := make([]profile.Path, n)
	for i := range nodes {
		n := &nodes[i]
		up, id, bits := r.uint(), r.uint(), r.uint()
		n.Count = r.uint()
		if up > uint64(i) || id > uint64(markers) || bits >= 1<<pathBitsKnown {
			r.fail()
			return p
		}
		n.Parent = -1
		if up > 0 {
			n.Parent = i - int(up)
		}
		if id > 0 {
			n.ID = ids(int(id - 1))
		}
		n.Go = bits&bitGo != 0
		if bits&bitLabel != 0 {
			n.Label = r.text()
		}
		if bits&bitPathTimed != 0 {
			n.SumNS, n.NestedNS, n.SelfNS = r.uint(), r.uint(), r.uint()
		}
		if bits&bitPathReadings != 0 {
			n.Readings = r.readings()
		}
		if bits&bitPathBuckets != 0 {
			n.Buckets = r.pathBuckets()
		}
	}
	if r.bad {
		return p
	}
	if p.Nodes = profile.NewPaths(nodes).Nodes; len(p.Nodes) < len(nodes) {
		r.fail() // a path is there twice
	}
	return p
}

// pathBuckets reads buckets without squares.
func (r *reader) pathBuckets() []profile.Bucket {
	list := make([]profile.Bucket, r.count(3))
	for i := range list {
		b, k := &list[i], r.uint()
		b.K, b.Count, b.SumNS = uint8(k), r.uint(), r.uint()
		if k >= 64 || i > 0 && b.K <= list[i-1].K || b.Count == 0 {
			r.fail()
			return nil
		}
	}
	if len(list) == 0 {
		r.fail()
	}
	return list
}

func (l *lister) paths() {
	l.uints("paths: runs", "lost", "other labels")
	l.times("paths", func() {
		l.uints("up", "marker")
		bits := l.uint("bits of the path")
		l.uint("count")
		if bits&bitLabel != 0 {
			l.text("label")
		}
		if bits&bitPathTimed != 0 {
			l.uints("sum ns", "nested ns", "self ns")
		}
		if bits&bitPathReadings != 0 {
			l.readings()
		}
		if bits&bitPathBuckets != 0 {
			l.times("buckets", func() { l.uints("bucket", "count", "sum") })
		}
	})
}
