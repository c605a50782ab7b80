package compare

import (
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Defaults of the command.
const (
	DefaultAlpha     = 0.05
	DefaultThreshold = 0.05
)

// Options are the options of a comparison.
type Options struct {
	// Metric is one of Metrics, or COLLECTOR.VALUE for a collector's value per scope; "" means
	// time.
	Metric string

	// Threshold is the smallest relevant change, as a fraction of the old value: 0.05 is 5 %. A
	// change that is certainly smaller is not Worse. With 0, any significant change is relevant.
	Threshold float64

	// Counts says whether numbers of scopes and allocations are compared exactly, too. With
	// CountsOnly, Metric is not used.
	Counts Counts

	// Alpha is the probability of reporting any marker if nothing changed; 0 means DefaultAlpha.
	Alpha float64
}

// Label says which side a run belongs to.
type Label int

// The sides: runs before a change, and runs after it.
const (
	Old Label = iota
	New
)

// Comparison collects runs one by one. It keeps a few numbers per marker and run, not the profiles.
type Comparison struct {
	options Options
	metric  metric
	sides   [2]Side
	first   [2]time.Time // starts of the earliest and latest run of each side
	last    [2]time.Time
	markers map[registry.ID]*series
	notes   notes

	paths    [2]profile.Sum // of the paths of all runs
	pathRuns [2]int         // runs that have them

	countable    [2]int // runs of each side whose counts are complete
	processAlloc bool   // some run has allocations of the process instead of those of scopes
}

// Side describes the runs of one side.
type Side struct {
	Runs  int    // Number of files
	App   string // like the rest, from the newest run
	Go    string
	OS    string
	Arch  string
	Clock profile.Clock
}

// series is the data of one marker.
type series struct {
	id         registry.ID
	name, kind string
	file       string
	line       int
	named      Label // side of the run that gave the name
	oldName    string
	guess      bool // the correspondence of the two sides is a guess
	asOf       time.Time
	sampled    bool // values are estimates in some runs
	off        bool // turned off in some runs
	countOnly  bool
	values     [2][]float64 // by run and figure; NaN if there is none
	scopes     [2][]float64 // by run, number of calls measured; NaN if the program lacks the marker
	counts     [2]tally     // of scopes, of all runs that have the marker
	exact      exact
}

// NewComparison returns a comparison without runs.
func NewComparison(o Options) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return nil, fmt.Errorf("alpha is %v; it is a probability between 0 and 1, such as 0.05", o.Alpha)
	case !(o.Threshold >= 0) || math.IsInf(o.Threshold, 0):
		return nil, fmt.Errorf("the threshold is %v; it is a part of the old value, 0 or more", o.Threshold)
	}
	m, err := metricOf(o.Metric)
	if err != nil {
		return nil, err
	}
	if o.Metric = m.name; o.Counts == CountsOnly {
		o.Metric = "counts"
	}
	return &Comparison{options: o, metric: m, markers: map[registry.ID]*series{}}, nil
}

// Add adds a run. A profile that is a sum of several processes counts as one run. The profile is
// not kept. Add returns an error if the profile lacks data for the metric.
func (c *Comparison) Add(label Label, p *profile.Profile) error {
	if c.metric.name == "self" && p.NoSelf {
		return fmt.Errorf("self times were not measured in run %s; run the program without noself", p.Run)
	}
	s := &c.sides[label]
	run := s.Runs
	s.Runs++
	if run == 0 || p.Start.After(c.last[label]) {
		s.App, s.Go, s.OS, s.Arch, s.Clock = p.App, p.Go, p.GOOS, p.GOARCH, p.Clock
		c.last[label] = p.Start
	}
	if run == 0 || p.Start.Before(c.first[label]) {
		c.first[label] = p.Start
	}
	c.notes.add(label, p)
	c.addPaths(label, p)
	exact := countable(p)
	if exact {
		c.countable[label]++
	}
	onPaths := pathCallers(p)
	for i := range p.Markers {
		m := &p.Markers[i]
		s := c.addMarker(label, run, p.Start, m)
		if exact {
			callers := m.Callers
			if len(callers) == 0 {
				callers = onPaths[m.ID]
			}
			s.exact.add(label, m, callers, p.NoSelf)
		}
		c.processAlloc = c.processAlloc || m.Reading(profile.ProcessAlloc) != nil
	}
	return nil
}

func (c *Comparison) addMarker(label Label, run int, start time.Time, m *profile.Marker) *series {
	s := c.markers[m.ID]
	if s == nil {
		s = &series{id: m.ID, countOnly: true, named: label, asOf: start.Add(-1)}
		c.markers[m.ID] = s
	}
	if label > s.named || label == s.named && start.After(s.asOf) {
		s.name, s.kind, s.file, s.line = m.Name, m.Kind, m.File, m.Line
		s.named, s.asOf = label, start
	}
	if label == Old {
		s.oldName = m.Name
	}
	s.guess = s.guess || m.Guess
	s.sampled = s.sampled || m.Sampled()
	s.off = s.off || m.Off != "" && m.Off != profile.Demoted
	s.countOnly = s.countOnly && m.CountOnly

	f := len(c.metric.figures)
	s.values[label] = padded(s.values[label], run*f)
	for _, figure := range c.metric.figures {
		s.values[label] = append(s.values[label], figure.of(m))
	}
	s.scopes[label] = append(padded(s.scopes[label], run), scopes(m))

	s.counts[label].add(m.Count)
	return s
}

// padded extends a list with NaN for runs without the marker.
func padded(list []float64, n int) []float64 {
	for len(list) < n {
		list = append(list, math.NaN())
	}
	return list
}
