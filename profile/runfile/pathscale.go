package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
)

// figures are the additive figures of a marker or path.
type figures [4]uint64

func figuresOf(m *profile.Marker) figures { return figures{m.Count, m.SumNS(), m.NestedNS, m.SelfNS} }

// countdown estimates the data of markers of which one scope in so many was recorded.
func (r *run) countdown() {
	for index, m := range r.totals.all() {
		if m.Seen > 0 && r.header.word(layout.OffFlags)&layout.FlagPaths != 0 {
			r.tree.recorded[index] = figuresOf(m)
		}
		estimate.Countdown(m)
	}
}

// A share distributes what is to be added up to all among parts that add up to of. It rounds the sum of
// the parts so far, so that errors do not add up.
type share struct{ all, of, was, is uint64 }

// part returns what a part gets.
func (s *share) part(n uint64) uint64 {
	s.was = profile.Add64(s.was, n)
	v := profile.Sub64(profile.Times(s.was, profile.Ratio(s.all, s.of)), s.is)
	s.is = profile.Add64(s.is, v)
	return v
}

// scalePaths makes the paths of such markers add up to the estimates, each in proportion to what was
// recorded on it. Scopes of a marker of which only the first were recorded, before it was sampled, are on
// the paths of those. It returns the number of those that are on no path.
func (r *run) scalePaths(number func(index uint64) uint64) (lost uint64) {
	t, shares, counted := &r.tree, map[uint64]*[4]share{}, map[uint64]*share{}
	for index, recorded := range t.recorded {
		all := figuresOf(r.total(index))
		if recorded[0] == 0 {
			counted[number(index)] = &share{all: all[0]}
			continue
		}
		s := new([4]share)
		for k := range s {
			s[k] = share{all: all[k], of: recorded[k]}
		}
		shares[index] = s
	}
	for i := range t.nodes {
		if s := counted[number(t.marker[i])]; s != nil && shares[t.marker[i]] == nil {
			s.of = profile.Add64(s.of, t.nodes[i].Count)
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if s := shares[t.marker[i]]; s != nil {
			for k, v := range []*uint64{&n.Count, &n.SumNS, &n.NestedNS, &n.SelfNS} {
				*v = s[k].part(*v)
			}
		} else if s := counted[number(t.marker[i])]; s != nil {
			n.Count = profile.Add64(n.Count, s.part(n.Count))
		}
	}
	for _, s := range counted {
		if s.of == 0 {
			lost = profile.Add64(lost, s.all)
		}
	}
	return lost
}
