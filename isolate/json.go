package isolate

import (
	"encoding/json"
	"io"

	"github.com/markgen/markgen/profile"
)

// jsonResult is the JSON of a Result; docs/howto/profile-a-library.md explains the fields.
type jsonResult struct {
	Passes    int            `json:"passes"`
	TookNS    int64          `json:"took_ns"`
	Groups    int            `json:"groups"`
	Clique    int            `json:"groups_needed"`
	Failures  []jsonFailure  `json:"failures"`
	Functions []jsonFunction `json:"functions"`
	Refused   []jsonRefusal  `json:"refused,omitempty"`
	Warnings  []string       `json:"warnings"`
}

type jsonFailure struct {
	Pass     string `json:"pass"`
	Code     int    `json:"code"`
	TimedOut bool   `json:"timed_out,omitempty"`
}

type jsonRefusal struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

type jsonFunction struct {
	ID        string                        `json:"id"`
	Name      string                        `json:"name"`
	Package   string                        `json:"package"`
	File      string                        `json:"file"`
	Line      int                           `json:"line"`
	Group     int                           `json:"group"`
	Reached   bool                          `json:"reached"`
	CountOnly bool                          `json:"count_only,omitempty"`
	Recursive bool                          `json:"recursive,omitempty"`
	Disturbed bool                          `json:"disturbed,omitempty"`
	Exercised bool                          `json:"exercised,omitempty"`
	First     uint64                        `json:"first_count"`
	Counts    []uint64                      `json:"counts"`
	Count     uint64                        `json:"count"`
	MeanNS    float64                       `json:"mean_ns"`
	MeanSENS  *float64                      `json:"mean_se_ns"` // null if fewer than two calls were timed
	StddevNS  float64                       `json:"stddev_ns"`
	MinNS     uint64                        `json:"min_ns"`
	P50NS     float64                       `json:"p50_ns"`
	P90NS     float64                       `json:"p90_ns"`
	P99NS     float64                       `json:"p99_ns"`
	MaxNS     uint64                        `json:"max_ns"`
	InFirstNS float64                       `json:"first_mean_ns"`
	PerCall   map[string]map[string]float64 `json:"per_call,omitempty"`
}

// WriteJSON writes the result as JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	j := jsonResult{
		Passes: r.Passes, TookNS: int64(r.Took), Groups: len(r.Plan.Groups), Clique: r.Plan.Clique,
		Failures: []jsonFailure{}, Functions: []jsonFunction{}, Warnings: append([]string{}, r.Profile.Cautions()...),
	}
	for _, f := range r.Failures {
		j.Failures = append(j.Failures, jsonFailure{f.Name, f.Code, f.TimedOut})
	}
	for _, f := range r.Refused {
		j.Refused = append(j.Refused, jsonRefusal(f))
	}
	for _, f := range r.Functions {
		var meanSE *float64
		if se, ok := f.StandardError(); ok {
			meanSE = &se
		}
		j.Functions = append(j.Functions, jsonFunction{
			ID: f.ID.String(), Name: f.Name, Package: f.Package, File: f.File, Line: f.Line,
			Group: f.Group, Reached: f.Reached(), CountOnly: f.CountOnly, Recursive: f.Recursive, Disturbed: f.Disturbed, Exercised: f.Exercised,
			First: f.First, Counts: append([]uint64{}, f.Calls...), Count: f.Made(),
			MeanNS: f.MeanNS(), MeanSENS: meanSE, StddevNS: f.StddevNS(), MinNS: f.MinNS,
			P50NS: f.QuantileNS(0.5), P90NS: f.QuantileNS(0.9), P99NS: f.QuantileNS(0.99), MaxNS: f.MaxNS,
			InFirstNS: f.InFirst, PerCall: perCall(f.Marker),
		})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(j)
}

// perCall returns the mean of collectors' readings per call, by collector and value.
func perCall(m *profile.Marker) map[string]map[string]float64 {
	if len(m.Readings) == 0 {
		return nil
	}
	all := map[string]map[string]float64{}
	for i := range m.Readings {
		r := &m.Readings[i]
		all[r.Collector] = map[string]float64{}
		for _, v := range r.Values {
			all[r.Collector][v.Name] = r.Mean(v)
		}
	}
	return all
}
