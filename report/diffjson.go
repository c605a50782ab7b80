package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"

	"github.com/markgen/markgen/profile/compare"
)

// The types below are the json format of a comparison. Unknown and infinite values are null.
// Changes are fractions of the old value: 0.05 is 5 % more.

type jsonDiff struct {
	Verdict        string       `json:"verdict"` // worse, ok, or unknown (too few runs, or nothing to compare)
	Metric         string       `json:"metric"`
	Threshold      float64      `json:"threshold"`
	Alpha          float64      `json:"alpha"`
	Old            jsonSide     `json:"old"`
	New            jsonSide     `json:"new"`
	NeedRuns       int          `json:"need_runs"`       // number on each side needed to detect any change
	Tests          int          `json:"tests"`           // number of statistics compared
	Permutations   int          `json:"relabelled"`      // permutations of the labels in the permutation test
	All            bool         `json:"exact"`           // the test used all possible permutations
	Half           jsonFloat    `json:"detectable_half"` // change that would have been detected in half of the markers
	Most           jsonFloat    `json:"detectable_most"` // change that would have been detected in nine of ten markers
	Spread         *float64     `json:"shared_spread"`   // standard deviation of the part that all markers of a run share
	Shared         []jsonFigure `json:"shared"`          // changes of that part; empty for fewer than 20 markers
	Appeared       []jsonWork   `json:"appeared"`
	Vanished       []jsonWork   `json:"vanished"`
	NewlyCalled    []jsonWork   `json:"reached_only_now"`
	NoLongerCalled []jsonWork   `json:"no_longer_reached"`
	Exact          bool         `json:"counts_compared"` // numbers that are the same in all runs of a side were compared
	Same           int          `json:"counts_same"`     // how many did not change
	Counted        []jsonCount  `json:"counts"`          // those that did
	Varied         []jsonVaried `json:"counts_vary"`     // those that differ between runs of a side
	Cautions       []string     `json:"cautions"`
}

type jsonSide struct {
	Runs   int    `json:"runs"`
	App    string `json:"app"`
	Go     string `json:"go"`
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Clock  string `json:"clock"`
}

type jsonPlace struct {
	ID   string `json:"id"` // 16 hexadecimal digits
	Name string `json:"name"`
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line"`

	Guess   bool   `json:"guess,omitempty"`    // may not be the same marker as the old one, so does not count as a change
	OldName string `json:"old_name,omitempty"` // if it differs
}

type jsonWork struct {
	jsonPlace
	Scopes [2]uint64 `json:"scopes"` // least and greatest number in a run
}

type jsonCount struct {
	jsonPlace
	What    string            `json:"what"` // scopes, objects, bytes or iterations
	Old     uint64            `json:"old"`
	New     uint64            `json:"new"`
	Change  jsonFloat         `json:"change"`
	Verdict string            `json:"verdict"` // worse, better, changed (by less than the threshold)
	Callers []jsonCallerCount `json:"callers,omitempty"`
	Path    *jsonChanged      `json:"path,omitempty"`
}

type jsonCallerCount struct {
	ID   string `json:"id"`
	Name string `json:"name"` // "" if no scope was open
	Old  uint64 `json:"old"`
	New  uint64 `json:"new"`
}

type jsonVaried struct {
	jsonPlace
	What string    `json:"what"`
	Old  [2]uint64 `json:"old"` // least and greatest
	New  [2]uint64 `json:"new"`
}

type jsonCompared struct {
	jsonPlace
	Verdict    string       `json:"verdict"` // worse, better, changed (by less than the threshold), unchanged, unknown
	Sampled    bool         `json:"sampled,omitempty"`
	Detectable jsonFloat    `json:"detectable"`
	Lead       string       `json:"lead"` // the statistic that the text format shows
	Figures    []jsonFigure `json:"figures"`
	Path       *jsonChanged `json:"path,omitempty"` // the path with most of the change, if both sides have paths
}

// jsonChanged is the path on which most of a marker's change happened.
type jsonChanged struct {
	Path   []string `json:"path"` // as in reports
	Labels []string `json:"labels"`
	Go     []int    `json:"go,omitempty"`
	Share  float64  `json:"share"` // part of the change
	Of     int      `json:"of"`    // number of paths of the marker
}

func jsonChangedOf(p *compare.PathChange) *jsonChanged {
	if p == nil {
		return nil
	}
	j := &jsonChanged{Share: p.Share, Of: p.Of}
	for i, s := range p.Steps {
		j.Path, j.Labels = append(j.Path, s.ID.String()), append(j.Labels, s.Label)
		if s.Go {
			j.Go = append(j.Go, i)
		}
	}
	return j
}

type jsonFigure struct {
	Name     string      `json:"name"`
	Unit     string      `json:"unit"` // "ns" or ""
	Old      jsonSummary `json:"old"`
	New      jsonSummary `json:"new"`
	Change   jsonFloat   `json:"change"`
	Lo       jsonFloat   `json:"change_lo"`
	Hi       jsonFloat   `json:"change_hi"`
	P        jsonFloat   `json:"p"`          // p-value of this test by itself
	Adjusted jsonFloat   `json:"p_adjusted"` // p-value adjusted for all tests: the one that counts
	Verdict  string      `json:"verdict"`
}

type jsonSummary struct {
	Median jsonFloat `json:"median"`
	Lo     jsonFloat `json:"lo"`
	Hi     jsonFloat `json:"hi"`
	Runs   int       `json:"runs"`
}

// jsonFloat is null for NaN and infinite numbers.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// writeDiffJSON writes one object: a line for the comparison, then one for each marker.
func writeDiffJSON(w *bufio.Writer, r *compare.Result) error {
	d := jsonDiff{
		Verdict:        diffVerdict(r),
		Metric:         r.Metric,
		Threshold:      r.Threshold,
		Alpha:          r.Alpha,
		Old:            jsonSideOf(r.Old),
		New:            jsonSideOf(r.New),
		NeedRuns:       r.Need,
		Tests:          r.Tests,
		Permutations:   r.Permutations,
		All:            r.All,
		Half:           jsonFloat(r.Half),
		Most:           jsonFloat(r.Most),
		Shared:         jsonFigures(r.Shared),
		Appeared:       jsonWorks(r.Appeared),
		Vanished:       jsonWorks(r.Vanished),
		NewlyCalled:    jsonWorks(r.NewlyCalled),
		NoLongerCalled: jsonWorks(r.NoLongerCalled),
		Exact:          r.Exact,
		Same:           r.Same,
		Counted:        []jsonCount{},
		Varied:         []jsonVaried{},
		Cautions:       append([]string{}, r.Cautions...),
	}
	for _, c := range r.Counted {
		line := jsonCount{jsonPlace: jsonPlaceOf(c.Place), What: c.What, Old: c.Old, New: c.New, Change: jsonFloat(c.Change()), Verdict: c.Verdict.String(), Path: jsonChangedOf(c.Path)}
		for _, caller := range c.Callers {
			line.Callers = append(line.Callers, jsonCallerCount{caller.ID.String(), caller.Name, caller.Old, caller.New})
		}
		d.Counted = append(d.Counted, line)
	}
	for _, v := range r.Varied {
		d.Varied = append(d.Varied, jsonVaried{jsonPlaceOf(v.Place), v.What, ends(v.Old), ends(v.New)})
	}
	if r.Shared != nil {
		d.Spread = &r.Spread
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(line.Bytes(), []byte("}\n")))
	w.WriteString(",\n\"markers\":[")
	for i := range r.Markers {
		m := &r.Markers[i]
		line.Reset()
		err := enc.Encode(jsonCompared{
			jsonPlace:  jsonPlaceOf(m.Place),
			Verdict:    m.Verdict.String(),
			Sampled:    m.Sampled,
			Detectable: jsonFloat(m.Detectable),
			Lead:       m.Lead().Name,
			Figures:    jsonFigures(m.Figures),
			Path:       jsonChangedOf(m.Path),
		})
		if err != nil {
			return err
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		w.Write(bytes.TrimSuffix(line.Bytes(), []byte{'\n'}))
	}
	_, err := w.WriteString("\n]}\n")
	return err
}

// diffVerdict returns the overall verdict.
func diffVerdict(r *compare.Result) string {
	switch {
	case r.Worse() > 0:
		return "worse"
	case r.Counts == compare.CountsOnly && r.Compared() > 0:
		return "ok"
	case !r.Enough || r.Certain() == 0:
		return "unknown"
	}
	return "ok"
}

func jsonSideOf(s compare.Side) jsonSide {
	return jsonSide{s.Runs, s.App, s.Go, s.OS, s.Arch, s.Clock.Kind}
}

func jsonPlaceOf(p compare.Place) jsonPlace {
	place := jsonPlace{ID: p.ID.String(), Name: p.Name, Kind: p.Kind, File: p.File, Line: p.Line, Guess: p.Guess}
	if p.OldName != p.Name {
		place.OldName = p.OldName
	}
	return place
}

func jsonWorks(list []compare.Work) []jsonWork {
	out := []jsonWork{}
	for _, p := range list {
		out = append(out, jsonWork{jsonPlaceOf(p.Place), ends(p.Scopes)})
	}
	return out
}

func ends(r compare.Range) [2]uint64 { return [2]uint64{r.Lo, r.Hi} }

func jsonFigures(list []compare.Figure) []jsonFigure {
	out := []jsonFigure{}
	for _, f := range list {
		out = append(out, jsonFigure{
			Name:     f.Name,
			Unit:     f.Unit,
			Old:      jsonSummary{jsonFloat(f.Old.Median), jsonFloat(f.Old.Lo), jsonFloat(f.Old.Hi), f.Old.Runs},
			New:      jsonSummary{jsonFloat(f.New.Median), jsonFloat(f.New.Lo), jsonFloat(f.New.Hi), f.New.Runs},
			Change:   jsonFloat(f.Change),
			Lo:       jsonFloat(f.Lo),
			Hi:       jsonFloat(f.Hi),
			P:        jsonFloat(f.P),
			Adjusted: jsonFloat(f.Adjusted),
			Verdict:  f.Verdict.String(),
		})
	}
	return out
}
