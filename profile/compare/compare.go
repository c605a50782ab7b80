package compare

import (
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// DefaultAlpha and DefaultThreshold are what the command takes if it is not told.
const (
	DefaultAlpha     = 0.05
	DefaultThreshold = 0.05
)

// Options say what is compared and what counts as worse.
type Options struct {
	// Metric is one of Metrics, or COLLECTOR.VALUE for what a collector read in a
	// scope; "" is time.
	Metric string

	// Threshold is the change that matters, as a part of the old value: 0.05 is 5 %. A
	// change that is surely less is not worse. With 0, any change that is certain matters.
	Threshold float64

	// Alpha is the probability, with no change, that any marker at all is reported;
	// 0 is DefaultAlpha.
	Alpha float64
}

// Label is what a run is called.
type Label int

// Runs are from before a change, or from after it.
const (
	Old Label = iota
	New
)

// Comparison takes runs one by one. It keeps a few numbers of each marker and run, not
// the profiles.
type Comparison struct {
	options Options
	metric  metric
	sides   [2]Side
	first   [2]time.Time // starts of the earliest and latest run of each side
	last    [2]time.Time
	markers map[registry.ID]*series
	notes   notes
}

// Side is what is known of one side's runs.
type Side struct {
	Runs  int    // files
	App   string // of the newest, as the rest
	Go    string
	OS    string
	Arch  string
	Clock profile.Clock
}

// series is what is kept of a marker.
type series struct {
	id         registry.ID
	name, kind string
	file       string
	line       int
	named      Label // of the run that gave the name
	oldName    string
	guess      bool // that it is one marker
	asOf       time.Time
	sampled    bool // figures are estimates in some run
	off        bool // was turned off in some run
	countOnly  bool
	values     [2][]float64 // by run and figure; NaN: there is none
	passages   [2][]float64 // by run, that figures are from; NaN: the marker was not in the program
	counts     [2]counts
}

// counts is whether all runs of a side counted the same.
type counts struct {
	runs, visited int
	count         uint64 // of the first run
	differ        bool
}

// NewComparison returns a comparison of no runs yet.
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
	o.Metric = m.name
	return &Comparison{options: o, metric: m, markers: map[registry.ID]*series{}}, nil
}

// Add takes a run in. A profile that is a sum of several processes is one run. The
// profile is not kept. It is an error if it has not got what the metric needs.
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
	for i := range p.Markers {
		c.addMarker(label, run, p.Start, &p.Markers[i])
	}
	return nil
}

func (c *Comparison) addMarker(label Label, run int, start time.Time, m *profile.Marker) {
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
	s.passages[label] = append(padded(s.passages[label], run), passages(m))

	n := &s.counts[label]
	if n.runs == 0 {
		n.count = m.Count
	}
	n.runs++
	n.differ = n.differ || m.Count != n.count
	if m.Count > 0 {
		n.visited++
	}
}

// padded lengthens a list with NaN, which stand for runs that have not got the marker.
func padded(list []float64, n int) []float64 {
	for len(list) < n {
		list = append(list, math.NaN())
	}
	return list
}
