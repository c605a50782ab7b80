package report

import (
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// The types below are the data of a page: JSON by columns, which compresses to a third of the size
// of rows. Times are in nanoseconds.

// pageData is all data of a page. Markers are those of both profiles.
type pageData struct {
	Sort      string        `json:"sort"`   // initial sort key of the table
	Prefix    string        `json:"prefix"` // common prefix of the names of all markers of packages; rows show the rest
	Kinds     []string      `json:"kinds"`
	Files     []string      `json:"files"`
	Links     []string      `json:"links"` // URL for each of Files, with {line} in it; "" if none
	Markers   pageMarkers   `json:"markers"`
	Unvisited []int         `json:"unvisited"` // markers of the profile that were never executed
	Sides     []pageSide    `json:"sides"`     // the profile, and the one that it is compared with
	Guesses   []int         `json:"guesses"`   // markers that may not be the same in both profiles
	Verdicts  *pageVerdicts `json:"verdicts"`  // of the comparison; null if there is none
	Sources   []pageSource  `json:"sources"`
	API       pageAPI       `json:"api"`
	Paths     *pagePaths    `json:"paths"` // null if none were recorded, and in a catalogue
}

// pageMarkers are sorted by name, then ID, as profiles are.
type pageMarkers struct {
	ID   []string `json:"id"` // 16 hexadecimal digits
	Name []string `json:"name"`
	Kind []int    `json:"kind"` // index in Kinds
	File []int    `json:"file"` // index in Files; -1 if unknown
	Line []int    `json:"line"`

	// Header is the source of a loop's or branch's header, "" if unknown. It is empty if none is
	// known.
	Header []string `json:"header"`
}

// pageSide is one profile.
type pageSide struct {
	NoSelf   bool          `json:"noSelf"`  // self times were not measured
	Waits    bool          `json:"waits"`   // the part of self time in which goroutines waited is known
	Quantum  float64       `json:"quantum"` // resolution of the clock, ns
	Missing  []int         `json:"missing"` // markers that the profile does not have
	Figures  pageFigures   `json:"figures"` // statistics of the markers
	Notes    []pageNotes   `json:"notes"`   // markers with notes
	Open     []pageOpen    `json:"open"`    // markers with open scopes
	Sampled  []pageSampled `json:"sampled"`
	Demoted  []pageDemoted `json:"demoted"`
	Callers  pageCallers   `json:"callers"`
	Sizes    []pageSize    `json:"sizes"`
	Readings []pageReading `json:"readings"`
}

// The columns of pageFigures have the same length; markers without times have 0 buckets.
type pageFigures struct {
	Count []whole `json:"count"`
	Total []whole `json:"total"`
	Self  []whole `json:"self"`

	// Running is the part of self time in which goroutines ran; empty if unknown.
	Running []whole `json:"running"`

	Mean   []float64 `json:"mean"`
	Stddev []float64 `json:"stddev"`
	Min    []whole   `json:"min"`
	P50    []float64 `json:"p50"`
	P90    []float64 `json:"p90"`
	P99    []float64 `json:"p99"`
	Max    []whole   `json:"max"`

	Buckets []int   `json:"buckets"` // number of entries of the marker in the following columns
	K       []int   `json:"k"`       // 2^k ≤ ns < 2^(k+1)
	N       []whole `json:"n"`
	Sum     []whole `json:"sum"`
}

type pageNotes struct {
	At    int      `json:"at"` // marker
	Notes []string `json:"notes"`
}

type pageOpen struct {
	At int   `json:"at"` // marker
	N  whole `json:"n"`
}

type pageSampled struct {
	At      int      `json:"at"`   // marker
	Rate    whole    `json:"rate"` // 1:rate
	Samples whole    `json:"samples"`
	CountSE *float64 `json:"countSE"` // null if unknown
	MeanSE  *float64 `json:"meanSE"`  // null if there are too few samples
}

// pageDemoted is a marker whose times are estimated.
type pageDemoted struct {
	At    int   `json:"at"` // marker
	Timed whole `json:"timed"`
}

type pageCallers struct {
	Of      []int       `json:"of"`   // marker
	ID      []string    `json:"id"`   // ID of the caller; "" if no scope was open
	Name    []string    `json:"name"` // name of the caller; "" if no scope was open
	Figures pageFigures `json:"figures"`
}

// pageSize has the times of scopes by size of their input, for a marker with size=.
type pageSize struct {
	At       int      `json:"at"`   // marker
	Size     string   `json:"size"` // from – to
	Count    whole    `json:"count"`
	MeanSize float64  `json:"meanSize"`
	Mean     float64  `json:"mean"`
	Stddev   float64  `json:"stddev"`
	Unit     *float64 `json:"unit"` // time divided by size; null if the size is 0
}

type pageReading struct {
	At        int             `json:"at"` // marker
	Collector string          `json:"collector"`
	Scopes    whole           `json:"scopes"`
	Dropped   whole           `json:"dropped"`
	Values    []pageReadValue `json:"values"`
}

type pageReadValue struct {
	Name  string  `json:"name"`
	Total whole   `json:"total"`
	Self  whole   `json:"self"`
	Mean  float64 `json:"mean"`

	// Spread is the distribution over scopes; omitted if the collector has no buckets.
	Spread *pageSpread `json:"spread,omitempty"`
}

// pageSpread has the non-empty buckets of a value: bucket 0 is for 0, and k for 2^(k-1) ≤ value <
// 2^k.
type pageSpread struct {
	K   []int   `json:"k"`
	N   []whole `json:"n"`
	Sum []whole `json:"sum"`
}

// whole is an integer. Above 2^53, where JavaScript's numbers lose precision, it is encoded as a
// string.
type whole uint64

func (n whole) MarshalJSON() ([]byte, error) {
	text := strconv.AppendUint(nil, uint64(n), 10)
	if n <= 1<<53 {
		return text, nil
	}
	return append(append([]byte{'"'}, text...), '"'), nil
}

// known returns a number for JSON, or nil for NaN and infinities.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// encode returns the data in the encoding that the page expects: JSON, compressed by gzip, in
// base64.
func (d *pageData) encode() (string, error) {
	var b strings.Builder
	to := base64.NewEncoder(base64.StdEncoding, &b)
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(z).Encode(d); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	if err := to.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// htmlData returns the data of the page.
func htmlData(p *profile.Profile, o Options) *pageData {
	profiles := []*profile.Profile{p}
	if o.Against != nil {
		profiles = append(profiles, o.Against)
	}
	markers, at := union(profiles)
	var declared *declarations
	if o.API {
		declared = newDeclarations(fromSource(o), true)
		profiles = only(catalogued(markers, declared), profiles)
		markers, at = union(profiles)
	}
	order := defaultOrder(p)
	if r := o.Compared; r != nil && r.Enough && len(r.Markers) > 0 {
		order = "verdict"
	}
	d := &pageData{Sort: cmp.Or(o.Sort, order), Unvisited: []int{}, Kinds: []string{}, Files: []string{}, Sides: []pageSide{}}
	files := d.name(markers)
	d.Verdicts = verdicts(o.Compared, at)
	d.Links = addresses(files, o.Link)
	for _, p := range profiles {
		d.Sides = append(d.Sides, side(p, at))
	}
	for _, m := range unvisited(profiles[0]) {
		d.Unvisited = append(d.Unvisited, at[m.ID])
	}
	if o.API {
		d.Sources = []pageSource{}
	} else {
		d.Sources = sources(profiles, files, o)
		d.Markers.Header = headers(markers, fromPage(d.Sources, files))
		declared = newDeclarations(fromPage(d.Sources, files), false)
		d.Paths = paths(profiles, markers, at)
	}
	d.Guesses = guesses(profiles, markers)
	d.API = api(profiles[0], markers, declared, o.API)
	return d
}

// guesses returns the indexes of markers that two profiles have, but that may not be the same
// marker.
func guesses(profiles []*profile.Profile, markers []*profile.Marker) []int {
	list, times, guess := []int{}, map[registry.ID]int{}, map[registry.ID]bool{}
	for _, p := range profiles {
		for i := range p.Markers {
			m := &p.Markers[i]
			times[m.ID]++
			guess[m.ID] = guess[m.ID] || m.Guess
		}
	}
	for i, m := range markers {
		if guess[m.ID] && times[m.ID] > 1 {
			list = append(list, i)
		}
	}
	return list
}

// only returns the profiles with only the markers of the functions.
func only(functions []apiFunction, profiles []*profile.Profile) (list []*profile.Profile) {
	keep := map[registry.ID]bool{}
	for _, f := range functions {
		keep[f.marker.ID] = true
	}
	for _, p := range profiles {
		part := *p
		part.Markers = nil
		for _, m := range p.Markers {
			if keep[m.ID] {
				part.Markers = append(part.Markers, m)
			}
		}
		list = append(list, &part)
	}
	return list
}

// union returns the markers of all profiles without duplicates, in the order of profiles and from
// the first one that has the marker, and the index of each.
func union(profiles []*profile.Profile) (markers []*profile.Marker, at map[registry.ID]int) {
	at = map[registry.ID]int{}
	for _, p := range profiles {
		for i := range p.Markers {
			m := &p.Markers[i]
			if _, have := at[m.ID]; !have {
				at[m.ID] = 0
				markers = append(markers, m)
			}
		}
	}
	slices.SortFunc(markers, profile.CompareMarkers)
	for i, m := range markers {
		at[m.ID] = i
	}
	return markers, at
}

// name fills the columns that identify the markers. It returns the index in Files of each file.
func (d *pageData) name(markers []*profile.Marker) (files map[sourceName]int) {
	n := len(markers)
	c := pageMarkers{make([]string, 0, n), make([]string, 0, n), make([]int, 0, n), make([]int, 0, n), make([]int, 0, n), []string{}}
	kinds, files := map[string]int{}, map[sourceName]int{}
	for _, m := range markers {
		kind, at := kind(m), sourceOf(m)
		if _, have := kinds[kind]; !have {
			kinds[kind] = len(d.Kinds)
			d.Kinds = append(d.Kinds, kind)
		}
		if m.File == "" {
			files[at] = -1
		} else if _, have := files[at]; !have {
			files[at] = len(d.Files)
			d.Files = append(d.Files, printable(m.File))
		}
		c.ID = append(c.ID, m.ID.String())
		c.Name = append(c.Name, printable(m.Name))
		c.Kind = append(c.Kind, kinds[kind])
		c.File = append(c.File, files[at])
		c.Line = append(c.Line, m.Line)
	}
	d.Markers = c
	d.Prefix = printable(string(commonPartOf(markers)))
	return files
}

// side returns the columns of one profile; at has the index of each marker.
func side(p *profile.Profile, at map[registry.ID]int) pageSide {
	s := pageSide{
		NoSelf:   p.NoSelf,
		Waits:    p.KnowsWaiting(),
		Quantum:  p.Clock.QuantumNS,
		Missing:  []int{},
		Figures:  newFigures(len(at)),
		Notes:    []pageNotes{},
		Open:     []pageOpen{},
		Sampled:  []pageSampled{},
		Demoted:  []pageDemoted{},
		Callers:  pageCallers{[]int{}, []string{}, []string{}, newFigures(0)},
		Sizes:    []pageSize{},
		Readings: []pageReading{},
	}
	rows := make([]*profile.Marker, len(at))
	for i := range p.Markers {
		rows[at[p.Markers[i].ID]] = &p.Markers[i]
	}
	for i, m := range rows {
		if m == nil {
			s.Missing = append(s.Missing, i)
			m = &profile.Marker{}
		}
		s.Figures.add(m)
		if s.Waits {
			s.Figures.Running = append(s.Figures.Running, whole(m.RunningNS()))
		}
		if len(m.Notes) > 0 {
			notes := make([]string, len(m.Notes))
			for k, note := range m.Notes {
				notes[k] = printable(note)
			}
			s.Notes = append(s.Notes, pageNotes{i, notes})
		}
		if m.Open > 0 {
			s.Open = append(s.Open, pageOpen{i, whole(m.Open)})
		}
		if m.Demoted() {
			s.Demoted = append(s.Demoted, pageDemoted{i, whole(m.Measured())})
		}
		if m.Sampled() {
			line := pageSampled{At: i, Rate: whole(max(m.Sample, 1)), Samples: whole(m.Samples), CountSE: known(m.CountSE())}
			if se, ok := m.MeanSE(); ok {
				line.MeanSE = known(se)
			}
			s.Sampled = append(s.Sampled, line)
		}
		for k := range m.Sizes {
			b := &m.Sizes[k]
			s.Sizes = append(s.Sizes, pageSize{i, sizeRange(b), whole(b.Count), b.MeanSize(), b.MeanNS(), b.StddevNS(), known(b.NSPerUnit())})
		}
		for _, r := range m.Readings {
			s.Readings = append(s.Readings, pageReading{
				At:        i,
				Collector: printable(r.Collector),
				Scopes:    whole(r.Scopes),
				Dropped:   whole(r.Dropped),
				Values:    readValues(r),
			})
		}
		for k := range m.Callers {
			c := &m.Callers[k]
			id := ""
			if c.ID != 0 {
				id = c.ID.String()
			}
			s.Callers.Of = append(s.Callers.Of, i)
			s.Callers.ID = append(s.Callers.ID, id)
			s.Callers.Name = append(s.Callers.Name, printable(c.Name))
			s.Callers.Figures.add(&c.Marker)
		}
	}
	return s
}

func readValues(r profile.Reading) []pageReadValue {
	values := []pageReadValue{}
	for _, v := range r.Values {
		values = append(values, pageReadValue{printable(v.Name), whole(v.Total()), whole(v.Self), r.Mean(v), spread(v.Buckets)})
	}
	return values
}

func spread(list []profile.ValueBucket) *pageSpread {
	if len(list) == 0 {
		return nil
	}
	s := new(pageSpread)
	for _, b := range list {
		s.K = append(s.K, int(b.K))
		s.N = append(s.N, whole(b.Count))
		s.Sum = append(s.Sum, whole(b.Sum))
	}
	return s
}

// newFigures returns pageFigures with capacity for n rows. The slices are not nil, so that JSON has
// empty lists instead of null.
func newFigures(n int) pageFigures {
	wholes, floats := func() []whole { return make([]whole, 0, n) }, func() []float64 { return make([]float64, 0, n) }
	return pageFigures{
		Count: wholes(), Total: wholes(), Self: wholes(), Running: []whole{}, Mean: floats(), Stddev: floats(),
		Min: wholes(), P50: floats(), P90: floats(), P99: floats(), Max: wholes(),
		Buckets: make([]int, 0, n), K: []int{}, N: wholes(), Sum: wholes(),
	}
}

// add appends a row.
func (f *pageFigures) add(m *profile.Marker) {
	f.Count = append(f.Count, whole(m.Count))
	f.Total = append(f.Total, whole(m.TotalNS()))
	f.Self = append(f.Self, whole(m.SelfNS))
	f.Mean = append(f.Mean, m.MeanNS())
	f.Stddev = append(f.Stddev, m.StddevNS())
	f.Min = append(f.Min, whole(m.MinNS))
	f.P50 = append(f.P50, m.QuantileNS(0.5))
	f.P90 = append(f.P90, m.QuantileNS(0.9))
	f.P99 = append(f.P99, m.QuantileNS(0.99))
	f.Max = append(f.Max, whole(m.MaxNS))
	f.Buckets = append(f.Buckets, len(m.Buckets))
	for _, b := range m.Buckets {
		f.K = append(f.K, int(b.K))
		f.N = append(f.N, whole(b.Count))
		f.Sum = append(f.Sum, whole(b.SumNS))
	}
}
