package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
)

// The types below are the json format. Times are in nanoseconds. The values of a marker that was
// not executed, and the times of one that only counts, are 0, without buckets.

type jsonRun struct {
	App       string    `json:"app"`
	Run       string    `json:"run"`
	Start     string    `json:"start"` // RFC 3339, UTC
	ElapsedNS uint64    `json:"elapsed_ns"`
	CPUNS     uint64    `json:"cpu_ns"`         // CPU time of the runs that ended normally; 0 if unknown
	CostNS    uint64    `json:"marker_cost_ns"` // approximate part of cpu_ns used by markers
	Clock     jsonClock `json:"clock"`
	GOOS      string    `json:"goos"`
	GOARCH    string    `json:"goarch"`
	Go        string    `json:"go"`
	Build     string    `json:"build"` // main package, "@" and version
	CPU       string    `json:"cpu"`
	State     string    `json:"state"`
	Complete  bool      `json:"complete"`

	Trace    *jsonTrace    `json:"trace,omitempty"`      // omitted if there is none
	Sampling *jsonSampling `json:"sampling,omitempty"`   // omitted unless markers were only on in windows
	Wild     *jsonWild     `json:"wild,omitempty"`       // omitted unless functions were picked at random
	Budget   uint64        `json:"budget_ppm,omitempty"` // what markers were to cost at most; omitted if not limited
	Changes  []jsonChange  `json:"changes,omitempty"`    // of the state and of levels; omitted for several runs
	Warnings []string      `json:"warnings"`             // reasons to doubt the values
}

type jsonSampling struct {
	Rate    string `json:"rate"` // "1:N"
	Windows uint64 `json:"windows"`
	OpenNS  uint64 `json:"open_ns"` // total duration of the windows
	NetNS   uint64 `json:"net_ns"`  // the same without the cost of recording in them
	OfNS    uint64 `json:"of_ns"`   // the time of which the windows are a sample, also without that cost
}

type jsonChange struct {
	AtNS   uint64 `json:"at_ns"` // since the start of the run
	From   string `json:"from"`
	To     string `json:"to"`
	Cause  string `json:"cause"`            // begin, program, event, timer, outside or end; budget: of the level of the marker
	Marker string `json:"marker,omitempty"` // marker that triggered the change, or whose level changed
}

type jsonClock struct {
	Kind      string  `json:"kind"`
	Hz        float64 `json:"hz"`
	QuantumNS float64 `json:"quantum_ns"`
	ReadNS    float64 `json:"read_ns"`
}

type jsonTrace struct {
	Records uint64 `json:"records"` // records in the data
	Lost    uint64 `json:"lost"`    // overwritten by newer ones, or not written for lack of space
}

type jsonMarker struct {
	ID       string       `json:"id"` // 16 hexadecimal digits
	Name     string       `json:"name"`
	Kind     string       `json:"kind"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Count    uint64       `json:"count"`
	TotalNS  uint64       `json:"total_ns"`            // recursive scopes count once
	NestedNS uint64       `json:"nested_ns,omitempty"` // part of the buckets' sum that counts recursive scopes again
	SelfNS   *uint64      `json:"self_ns,omitempty"`   // omitted if self times were not measured
	MeanNS   float64      `json:"mean_ns"`
	StddevNS float64      `json:"stddev_ns"`
	MinNS    uint64       `json:"min_ns"`
	MaxNS    uint64       `json:"max_ns"`
	P50NS    float64      `json:"p50_ns"`
	P90NS    float64      `json:"p90_ns"`
	P99NS    float64      `json:"p99_ns"`
	P50In    *jsonBounds  `json:"p50_bounds_ns,omitempty"` // bounds of the percentiles; omitted if there are no times
	P90In    *jsonBounds  `json:"p90_bounds_ns,omitempty"`
	P99In    *jsonBounds  `json:"p99_bounds_ns,omitempty"`
	Sampled  string       `json:"sampled,omitempty"` // "1:N", the latest rate; omitted if every scope was recorded
	Samples  *uint64      `json:"samples,omitempty"` // recorded scopes; all other values are estimates from these
	CountSE  *float64     `json:"count_se,omitempty"`
	MeanSE   any          `json:"mean_se_ns,omitempty"` // null if there were too few samples
	Notes    []string     `json:"notes,omitempty"`      // notes on how the values were obtained
	Untimed  bool         `json:"untimed,omitempty"`    // its scopes are only in the trace, neither counted nor timed
	Off      string       `json:"off,omitempty"`        // why scopes were not collected from some time on: choice, enough, throttled; demoted: they were counted, and some were timed
	Levels   *jsonLevels  `json:"levels,omitempty"`     // omitted in runs without a budget
	Picks    *jsonPicks   `json:"picks,omitempty"`      // omitted if it was not picked at random
	Open     uint64       `json:"open"`                 // scopes that had not ended at the end of the run
	Timed    *uint64      `json:"timed,omitempty"`      // number of timed scopes; omitted if the marker only counts
	Buckets  []jsonBucket `json:"buckets"`              // non-empty buckets by increasing time
	Callers  []jsonCaller `json:"callers,omitempty"`    // the same values by caller, if callers were requested or matter

	First *jsonFirst `json:"first,omitempty"` // omitted if unknown
	Shape *jsonShape `json:"shape,omitempty"` // if requested

	// Alloc is the memory allocated by goroutines in the scopes, in deep builds; ProcessAlloc is
	// that allocated by the process meanwhile, in other builds. Omitted if not collected.
	Alloc        *jsonAlloc `json:"alloc,omitempty"`
	ProcessAlloc *jsonAlloc `json:"process_alloc,omitempty"`

	Readings map[string]jsonReading `json:"readings,omitempty"` // by collector; omitted if there are no others
	Sizes    []jsonSize             `json:"sizes,omitempty"`    // by size of the input, for markers with size=
}

// jsonLevels is for how long a budget had a marker at which level.
type jsonLevels struct {
	TimedNS   uint64 `json:"timed_ns"`   // all its scopes were timed
	CountedNS uint64 `json:"counted_ns"` // they were counted, and some timed
	OffNS     uint64 `json:"off_ns"`     // they are in no value
}

// jsonFirst has the times of the first scope of each process in which it is known.
type jsonFirst struct {
	Count    uint64       `json:"count"`
	MeanNS   float64      `json:"mean_ns"`
	StddevNS float64      `json:"stddev_ns"`
	MinNS    uint64       `json:"min_ns"`
	MaxNS    uint64       `json:"max_ns"`
	Buckets  []jsonBucket `json:"buckets"`
}

func first(f *profile.Firsts) *jsonFirst {
	if len(f.Buckets) == 0 {
		return nil
	}
	return &jsonFirst{f.Count(), f.MeanNS(), f.StddevNS(), f.MinNS, f.MaxNS, jsonBuckets(f.Buckets)}
}

func jsonBuckets(buckets []profile.Bucket) []jsonBucket {
	list := []jsonBucket{}
	for _, b := range buckets {
		list = append(list, jsonBucket{
			LoNS:    b.LoNS(),
			HiNS:    b.HiNS(),
			Count:   b.Count,
			SumNS:   b.SumNS,
			SumSqNS: json.Number(b.SumSq.String()),
		})
	}
	return list
}

// jsonBounds are the minimum and maximum possible value of a percentile.
type jsonBounds [2]float64

func bounds(m *profile.Marker, q float64) *jsonBounds {
	if len(m.Buckets) == 0 {
		return nil
	}
	lo, hi := m.QuantileBounds(q)
	return &jsonBounds{lo, hi}
}

type jsonCaller struct {
	ID       string  `json:"id"`   // ID of the open marker; "" if no scope was open
	Name     string  `json:"name"` // its name
	Count    uint64  `json:"count"`
	TotalNS  uint64  `json:"total_ns"`
	SelfNS   *uint64 `json:"self_ns,omitempty"`
	MeanNS   float64 `json:"mean_ns"`
	StddevNS float64 `json:"stddev_ns"`
	MinNS    uint64  `json:"min_ns"`
	MaxNS    uint64  `json:"max_ns"`
	P50NS    float64 `json:"p50_ns"`
	P90NS    float64 `json:"p90_ns"`
	P99NS    float64 `json:"p99_ns"`

	Alloc        *jsonAlloc             `json:"alloc,omitempty"`
	ProcessAlloc *jsonAlloc             `json:"process_alloc,omitempty"`
	Readings     map[string]jsonReading `json:"readings,omitempty"` // by collector
}

type jsonBucket struct {
	LoNS    uint64      `json:"lo_ns"` // inclusive lower bound
	HiNS    uint64      `json:"hi_ns"` // exclusive upper bound
	Count   uint64      `json:"count"`
	SumNS   uint64      `json:"sum_ns"`
	SumSqNS json.Number `json:"sumsq_ns2"` // exact, may exceed 64 bits
}

// writeJSON writes one object: a line for the run, then a line for each marker, so that large
// reports can be processed by line.
func writeJSON(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	var cost profile.Cost
	if p.Cost != nil {
		cost = *p.Cost
	}
	head, err := json.Marshal(jsonRun{
		App:       p.App,
		Run:       p.Run,
		Start:     p.Start.UTC().Format(time.RFC3339Nano),
		ElapsedNS: p.ElapsedNS,
		CPUNS:     cost.CPUNS,
		CostNS:    cost.MarkersNS,
		Clock:     jsonClock{p.Clock.Kind, p.Clock.Hz, p.Clock.QuantumNS, p.Clock.ReadNS},
		GOOS:      p.GOOS,
		GOARCH:    p.GOARCH,
		Go:        p.Go,
		Build:     p.Build(),
		CPU:       p.CPU,
		State:     p.State,
		Complete:  p.Complete,
		Sampling:  sampling(p.Sampling),
		Wild:      jsonWildOf(p.Wild),
		Budget:    p.BudgetPPM,
		Changes:   changes(p.Changes),
		Trace:     (*jsonTrace)(p.Trace),
		Warnings:  append([]string{}, p.Cautions()...),
	})
	if err != nil {
		return err
	}
	w.Write(head[:len(head)-1]) // without its closing brace
	w.WriteString(",\n\"markers\":[")
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	var known shape.Options
	if o.Shapes {
		known = shape.For(p)
	}
	for i, m := range markers {
		line.Reset()
		j := marker(p, m)
		if o.Shapes {
			j.Shape = shapeOf(m, known)
		}
		if err := enc.Encode(j); err != nil {
			return err
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		if _, err := w.Write(bytes.TrimSuffix(line.Bytes(), []byte{'\n'})); err != nil {
			return err
		}
	}
	w.WriteString("\n]")
	if p.Paths != nil {
		if err := writeJSONPaths(w, p); err != nil {
			return err
		}
	}
	_, err = w.WriteString("}\n")
	return err
}

func sampling(s *profile.Sampling) *jsonSampling {
	if s == nil {
		return nil
	}
	return &jsonSampling{fmt.Sprintf("1:%d", s.N), s.Windows, s.OpenNS, s.NetNS, s.OfNS}
}

func changes(list []profile.Change) []jsonChange {
	var out []jsonChange
	for _, c := range list {
		j := jsonChange{AtNS: c.AtNS, From: c.From, To: c.To, Cause: c.Cause}
		if c.Marker != 0 {
			j.Marker = c.Marker.String()
		}
		out = append(out, j)
	}
	return out
}

func marker(p *profile.Profile, m *profile.Marker) jsonMarker {
	j := jsonMarker{
		ID:       m.ID.String(),
		Name:     m.Name,
		Kind:     m.Kind,
		File:     m.File,
		Line:     m.Line,
		Count:    m.Count,
		TotalNS:  m.TotalNS(),
		NestedNS: m.NestedNS,
		MeanNS:   m.MeanNS(),
		Open:     m.Open,
		StddevNS: m.StddevNS(),
		MinNS:    m.MinNS,
		MaxNS:    m.MaxNS,
		P50NS:    m.QuantileNS(0.5),
		P90NS:    m.QuantileNS(0.9),
		P99NS:    m.QuantileNS(0.99),
		P50In:    bounds(m, 0.5),
		P90In:    bounds(m, 0.9),
		P99In:    bounds(m, 0.99),
		Buckets:  jsonBuckets(m.Buckets),
		First:    first(&m.First),

		Alloc:        jsonAllocated(m, profile.Alloc),
		ProcessAlloc: jsonAllocated(m, profile.ProcessAlloc),
		Readings:     jsonReadings(m),
		Sizes:        jsonSizes(m),
	}
	if !p.NoSelf {
		j.SelfNS = &m.SelfNS
	}
	if !m.CountOnly {
		timed := m.Measured()
		j.Timed = &timed
	}
	if m.Sampled() {
		j.Sampled = m.Rate()
		se := m.CountSE()
		j.Samples, j.CountSE, j.MeanSE = &m.Samples, &se, json.RawMessage("null")
		if se, ok := m.MeanSE(); ok {
			j.MeanSE = se
		}
	}
	j.Notes = m.Notes
	j.Off, j.Untimed = m.Off, onlyTraced(p, m)
	if p.BudgetPPM != 0 {
		l := jsonLevels(m.Levels)
		j.Levels = &l
	}
	j.Picks = jsonPicksOf(m.Picks)
	for i := range m.Callers {
		j.Callers = append(j.Callers, caller(p, &m.Callers[i]))
	}
	return j
}

func caller(p *profile.Profile, c *profile.Caller) jsonCaller {
	j := jsonCaller{
		Alloc:        jsonAllocated(&c.Marker, profile.Alloc),
		ProcessAlloc: jsonAllocated(&c.Marker, profile.ProcessAlloc),
		Readings:     jsonReadings(&c.Marker),
		Name:         c.Name,
		Count:        c.Count,
		TotalNS:      c.TotalNS(),
		MeanNS:       c.MeanNS(),
		StddevNS:     c.StddevNS(),
		MinNS:        c.MinNS,
		MaxNS:        c.MaxNS,
		P50NS:        c.QuantileNS(0.5),
		P90NS:        c.QuantileNS(0.9),
		P99NS:        c.QuantileNS(0.99),
	}
	if c.ID != 0 {
		j.ID = c.ID.String()
	}
	if !p.NoSelf {
		j.SelfNS = &c.SelfNS
	}
	return j
}

// Figures returns the JSON value of a marker in the json format, for JSON that contains more than
// markers. It is for json.Marshal.
func Figures(m *profile.Marker) any { return marker(&profile.Profile{}, m) }
