package spool

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
)

// maxNamesRatio is the max ratio of the names in a batch to its size: names are compressed in it,
// and readers need memory for their full size.
const maxNamesRatio = 2

// maxPaths is the max number of call paths in a batch: half of what the service takes, as those
// above come on top.
const maxPaths = 10_000

// A splitter splits a profile into batches: profile files with some of its markers or call paths
// each, of which only the first has the fields about runs.
type splitter struct {
	head, rest profile.Profile // without markers and paths
	most       int             // max bytes of a batch
	bodies     [][]byte
}

// split splits a profile into batches of at most that many bytes, except those of a single marker or
// path.
func split(p *profile.Profile, most int) (bodies [][]byte, err error) {
	s := &splitter{head: *p, rest: *p, most: most}
	s.head.Markers, s.head.Paths, s.rest.Markers, s.rest.Paths = nil, nil, nil, nil
	if p.Paths != nil {
		s.head.Paths = &profile.Paths{Runs: p.Paths.Runs, Lost: p.Paths.Lost, Labels: p.Paths.Labels}
	}
	s.rest.Runs, s.rest.ElapsedNS, s.rest.Lost, s.rest.Sampling = 0, 0, 0, nil
	if p.Wild != nil {
		s.rest.Wild = &profile.Wild{} // otherwise markers would lose their Picks
	}
	var markers []profile.Marker
	for _, m := range p.Markers {
		if m.Count > 0 || m.Picks != nil { // others are on paths only
			markers = append(markers, m)
		}
	}
	list := withFigures(p.Paths)
	if len(markers) > 0 || len(list) == 0 {
		err = s.markers(markers)
	}
	if err == nil && len(list) > 0 {
		err = s.paths(p, list)
	}
	return s.bodies, err
}

// next returns the next batch without markers and paths.
func (s *splitter) next() profile.Profile {
	if len(s.bodies) == 0 {
		return s.head
	}
	return s.rest
}

// add adds a batch unless it is too large, and may be split.
func (s *splitter) add(p *profile.Profile, whole bool) (ok bool, err error) {
	names := 0
	for i := range p.Markers {
		names += len(p.Markers[i].Name) + len(p.Markers[i].File)
	}
	if names > maxNamesRatio*s.most && !whole {
		return false, nil
	}
	body, err := codec.Encode(p)
	if err != nil || len(body) > s.most && !whole {
		return false, err
	}
	s.bodies = append(s.bodies, body)
	return true, nil
}

func (s *splitter) markers(list []profile.Marker) error {
	p, half := s.next(), len(list)/2
	p.Markers = list
	if ok, err := s.add(&p, half == 0); ok || err != nil {
		return err
	}
	if err := s.markers(list[:half]); err != nil {
		return err
	}
	return s.markers(list[half:])
}

// withFigures returns the indexes of the paths with figures of their own.
func withFigures(p *profile.Paths) (list []int) {
	if p == nil {
		return nil
	}
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Count|n.SumNS|n.SelfNS != 0 || len(n.Readings) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// paths adds the paths of p with these indexes, with those above, without figures, and the markers
// on them.
func (s *splitter) paths(p *profile.Profile, list []int) error {
	part, half := s.next(), len(list)/2
	if len(list) <= maxPaths {
		if part.Paths == nil {
			part.Paths = &profile.Paths{}
		} else {
			runs := *part.Paths
			part.Paths = &runs
		}
		part.Paths.Nodes = pathsTo(p.Paths.Nodes, list)
		part.Markers = markersOn(part.Paths.Nodes, p.Markers)
		if ok, err := s.add(&part, half == 0); ok || err != nil {
			return err
		}
	}
	if err := s.paths(p, list[:half]); err != nil {
		return err
	}
	return s.paths(p, list[half:])
}

// pathsTo returns the nodes with the indexes in list, which is sorted, and those above, which have no
// figures unless they are in list, too.
func pathsTo(nodes []profile.Path, list []int) (part []profile.Path) {
	const own, above = 1, 2
	use := make([]byte, len(nodes))
	for _, i := range list {
		use[i] = own
		for k := nodes[i].Parent; k >= 0 && use[k] == 0; k = nodes[k].Parent {
			use[k] = above
		}
	}
	at := make([]int, len(nodes)) // index in part
	for i, n := range nodes {
		if use[i] == 0 {
			continue
		}
		if use[i] == above {
			n = profile.Path{Parent: n.Parent, ID: n.ID, Label: n.Label, Go: n.Go}
		}
		if n.Parent >= 0 {
			n.Parent = at[n.Parent]
		}
		at[i] = len(part)
		part = append(part, n)
	}
	return part
}

// markersOn returns the markers of the nodes without figures.
func markersOn(nodes []profile.Path, markers []profile.Marker) (list []profile.Marker) {
	on := map[registry.ID]bool{}
	for i := range nodes {
		on[nodes[i].ID] = true
	}
	for _, m := range markers {
		if on[m.ID] {
			list = append(list, profile.Marker{ID: m.ID, Name: m.Name, Package: m.Package, Kind: m.Kind, File: m.File, Line: m.Line, Col: m.Col, AsOf: m.AsOf, CountOnly: true})
		}
	}
	return list
}
