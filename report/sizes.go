package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// writeSizes writes a line for each power of two of input size, for markers with size=.
func writeSizes(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) {
	columns := []column{
		{name: "by size of input", left: true, shorten: true},
		{name: "size"},
		{name: "count"},
		{name: "mean size", rank: 1},
		{name: "mean"},
		{name: "stddev", rank: 2},
		{name: "a unit"},
	}
	for _, m := range markers {
		for i := range m.Sizes {
			b := &m.Sizes[i]
			for k, cell := range []string{
				o.common.cut(m.Name), sizeRange(b), units.Count(b.Count), mean("", b.MeanSize()), units.Measured(b.MeanNS(), p.Clock.QuantumNS), units.Duration(b.StddevNS()), perUnit(b),
			} {
				columns[k].cells = append(columns[k].cells, cell)
			}
		}
	}
	if len(columns[0].cells) > 0 {
		writeRows(w, columns, rows{}, o)
		w.WriteByte('\n')
	}
}

func sizeRange(b *profile.SizeBucket) string {
	if b.HiSize() <= b.LoSize()+1 {
		return units.Count(b.LoSize())
	}
	return fmt.Sprintf("%s–%s", units.Count(b.LoSize()), units.Count(b.HiSize()-1))
}

func perUnit(b *profile.SizeBucket) string {
	if ns := b.NSPerUnit(); !math.IsInf(ns, 0) && !math.IsNaN(ns) {
		return units.Duration(ns)
	}
	return none
}

// jsonSize has the times of scopes by size of their input, in the json format.
type jsonSize struct {
	Lo       uint64      `json:"lo"` // lo ≤ size < hi
	Hi       uint64      `json:"hi"`
	Count    uint64      `json:"count"`
	Sum      json.Number `json:"sum"` // sum of the sizes
	SumNS    uint64      `json:"sum_ns"`
	SumSqNS2 json.Number `json:"sumsq_ns2"`
	MeanNS   float64     `json:"mean_ns"`
	StddevNS float64     `json:"stddev_ns"`

	TypicalNS   *float64 `json:"typical_ns,omitempty"`    // robust against a few long scopes
	TypicalSENS *float64 `json:"typical_se_ns,omitempty"` // standard error; omitted for a single scope
}

func jsonSizes(m *profile.Marker) (list []jsonSize) {
	for i := range m.Sizes {
		b := &m.Sizes[i]
		j := jsonSize{
			Lo:       b.LoSize(),
			Hi:       b.HiSize(),
			Count:    b.Count,
			Sum:      json.Number(b.SumSize.String()),
			SumNS:    b.SumNS,
			SumSqNS2: json.Number(b.SumSq.String()),
			MeanNS:   b.MeanNS(),
			StddevNS: b.StddevNS(),
		}
		if ns, se, ok := b.TypicalNS(); ok {
			j.TypicalNS = &ns
			if !math.IsInf(se, 0) {
				j.TypicalSENS = &se
			}
		}
		list = append(list, j)
	}
	return list
}
