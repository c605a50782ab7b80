package compare

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A PathChange is the path on which most of a marker's change happened, if the runs of both sides
// have paths and the marker is on several.
type PathChange struct {
	Steps []PathStep // outermost first; the last is the marker
	Share float64    // part of the change: 1 if it happened on this path alone
	Of    int        // number of paths of the marker
}

// A PathStep is a marker on a path.
type PathStep struct {
	ID    registry.ID
	Name  string // "" for scopes beyond the limit of paths
	Label string // "" if it has none
	Go    bool   // first scope of a goroutine, started inside the step before
}

// A pathPair has the figures of a path on each side, of all runs.
type pathPair struct {
	side  [2]profile.Path
	steps []PathStep
}

// addPaths adds the paths of a run.
func (c *Comparison) addPaths(label Label, p *profile.Profile) {
	if p.Paths != nil {
		c.pathRuns[label]++
		c.paths[label].AddHead(&profile.Profile{Paths: p.Paths})
	}
}

// pathPairs returns the paths of both sides by marker; nil unless both have any.
func (c *Comparison) pathPairs() map[registry.ID][]*pathPair {
	if c.pathRuns[Old] == 0 || c.pathRuns[New] == 0 {
		return nil
	}
	index, pairs := profile.PathIndex{}, map[int]*pathPair{}
	byMarker := map[registry.ID][]*pathPair{}
	for label := range c.paths {
		tree := c.paths[label].Profile().Paths
		numbers := make([]int, len(tree.Nodes))
		for i := range tree.Nodes {
			n := &tree.Nodes[i]
			numbers[i], _, _ = index.Number(n, numbers)
			if n.Count == 0 {
				continue
			}
			pair := pairs[numbers[i]]
			if pair == nil {
				pair = &pathPair{steps: c.steps(tree, i)}
				pairs[numbers[i]] = pair
				byMarker[n.ID] = append(byMarker[n.ID], pair)
			}
			pair.side[label] = *n
		}
	}
	return byMarker
}

func (c *Comparison) steps(tree *profile.Paths, i int) (steps []PathStep) {
	for _, k := range tree.Chain(i) {
		n := &tree.Nodes[k]
		step := PathStep{ID: n.ID, Label: n.Label, Go: n.Go}
		if s := c.markers[n.ID]; s != nil {
			step.Name = s.name
		}
		steps = append(steps, step)
	}
	return steps
}

// mostChanged returns the path among those of a marker on which most of the change of a metric
// happened: a rise if rises is true, otherwise a fall. It returns nil if the marker has one path only,
// or none changed in this direction.
func (c *Comparison) mostChanged(pairs []*pathPair, metric string, rises bool) *PathChange {
	if len(pairs) < 2 {
		return nil
	}
	var count, sum float64 // of the old side
	for _, pair := range pairs {
		count, sum = count+float64(pair.side[Old].Count), sum+float64(pair.side[Old].SumNS)
	}
	var most *pathPair
	best, all := 0.0, 0.0
	for _, pair := range pairs {
		d := c.pathGrowth(pair, metric, sum/max(count, 1))
		if !rises {
			d = -d
		}
		if d > 0 {
			all += d
		}
		if d > best {
			most, best = pair, d
		}
	}
	if most == nil {
		return nil
	}
	return &PathChange{Steps: most.steps, Share: best / all, Of: len(pairs)}
}

// pathGrowth returns what a path adds to the change of the metric in a run. For the time of a scope
// that is what its new scopes took longer than as many old ones; mean is that of an old scope on any
// path, for a path that is new.
func (c *Comparison) pathGrowth(pair *pathPair, metric string, mean float64) float64 {
	old, fresh := &pair.side[Old], &pair.side[New]
	runs := [2]float64{float64(c.pathRuns[Old]), float64(c.pathRuns[New])}
	change := func(figure func(*profile.Path) uint64) float64 {
		return float64(figure(fresh))/runs[New] - float64(figure(old))/runs[Old]
	}
	longer := func(figure func(*profile.Path) uint64) float64 {
		if old.Count > 0 {
			mean = float64(figure(old)) / float64(old.Count)
		}
		return (float64(figure(fresh)) - mean*float64(fresh.Count)) / runs[New]
	}
	sum := func(n *profile.Path) uint64 { return n.SumNS }
	self := func(n *profile.Path) uint64 { return n.SelfNS }
	switch metric {
	case "count":
		return change(func(n *profile.Path) uint64 { return n.Count })
	case "total":
		return change(sum)
	case "self":
		return longer(self)
	}
	return longer(sum)
}
