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
	Exact          bool         `json:"exact"`           // the test used all possible permutations
	Half           jsonFloat    `json:"detectable_half"` // change that would have been detected in half of the markers
	Most           jsonFloat    `json:"detectable_most"` // change that would have been detected in nine of ten markers
	Spread         *float64     `json:"shared_spread"`   // standard deviation of the part that all markers of a run share
	Shared         []jsonFigure `json:"shared"`          // changes of that part; empty for fewer than 20 markers
	Appeared       []jsonPlace  `json:"appeared"`
	Vanished       []jsonPlace  `json:"vanished"`
	NewlyCalled    []jsonPlace  `json:"passed_only_now"`
	NoLongerCalled []jsonPlace  `json:"no_longer_passed"`
	Counted        []jsonCount  `json:"passages"` // markers with the same call count in all old runs and in all new runs, but different counts
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

type jsonCount struct {
	jsonPlace
	Old uint64 `json:"old"`
	New uint64 `json:"new"`
}

type jsonCompared struct {
	jsonPlace
	Verdict    string       `json:"verdict"` // worse, better, changed (by less than the threshold), unchanged, unknown
	Sampled    bool         `json:"sampled,omitempty"`
	Detectable jsonFloat    `json:"detectable"`
	Lead       string       `json:"lead"` // the statistic that the text format shows
	Figures    []jsonFigure `json:"figures"`
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
		Exact:          r.All,
		Half:           jsonFloat(r.Half),
		Most:           jsonFloat(r.Most),
		Shared:         jsonFigures(r.Shared),
		Appeared:       jsonPlaces(r.Appeared),
		Vanished:       jsonPlaces(r.Vanished),
		NewlyCalled:    jsonPlaces(r.NewlyCalled),
		NoLongerCalled: jsonPlaces(r.NoLongerCalled),
		Counted:        []jsonCount{},
		Cautions:       append([]string{}, r.Cautions...),
	}
	for _, c := range r.Counted {
		d.Counted = append(d.Counted, jsonCount{jsonPlaceOf(c.Place), c.Old, c.New})
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
	case !r.Enough || r.Certain() == 0:
		return "unknown"
	case r.Worse() > 0:
		return "worse"
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

func jsonPlaces(list []compare.Place) []jsonPlace {
	out := []jsonPlace{}
	for _, p := range list {
		out = append(out, jsonPlaceOf(p))
	}
	return out
}

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
