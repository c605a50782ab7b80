package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// writeReadings writes a table for each collector besides time, with a line for each marker and
// nonzero value.
func writeReadings(w *bufio.Writer, markers []*profile.Marker, o Options) {
	for _, collector := range collectors(markers) {
		if o.NoWaits && collector == profile.Wait {
			continue
		}
		columns := []column{
			{name: collector, left: true, shorten: true},
			{name: "value", left: true},
			{name: "scopes", rank: 1},
			{name: "total"},
			{name: "self"},
			{name: "mean", rank: 2},
		}
		dropped, scopes := uint64(0), uint64(0)
		for _, m := range markers {
			for _, r := range m.Readings {
				if r.Collector != collector {
					continue
				}
				dropped += r.Dropped
				scopes += r.Scopes
				for _, v := range r.Values {
					if v.Sum == 0 {
						continue
					}
					for i, cell := range []string{
						o.common.cut(m.Name), printable(v.Name), units.Count(r.Scopes),
						amount(v.Name, v.Total()), amount(v.Name, v.Self), mean(v.Name, r.Mean(v)),
					} {
						columns[i].cells = append(columns[i].cells, cell)
					}
				}
			}
		}
		columns[0].name = printable(collector)
		if len(columns[0].cells) > 0 {
			writeRows(w, columns, rows{}, o)
		} else {
			fmt.Fprintf(w, "%s: 0 in all that was read\n", printable(collector))
		}
		if dropped > 0 {
			fmt.Fprintf(w, "%s: %s of %s are left out, whose two readings are missing or can't be compared\n",
				printable(collector), units.Count(dropped), units.Plural(int(min(dropped+scopes, math.MaxInt)), "scope"))
		}
		w.WriteByte('\n')
	}
}

// collectors returns the sorted names of the collectors with readings.
func collectors(markers []*profile.Marker) (names []string) {
	for _, m := range markers {
		for _, r := range m.Readings {
			if !slices.Contains(names, r.Collector) {
				names = append(names, r.Collector)
			}
		}
	}
	slices.Sort(names)
	return names
}

// amount formats a number in the unit given by the suffix of the value's name.
func amount(name string, n uint64) string {
	if strings.HasSuffix(name, "_ns") {
		return units.WholeDuration(n)
	}
	return units.Count(n)
}

// mean is amount for floating-point numbers.
func mean(name string, v float64) string {
	if strings.HasSuffix(name, "_ns") {
		return units.Duration(v)
	}
	return units.Number(v)
}

// jsonReading has the readings of a collector at a marker, in the json format.
type jsonReading struct {
	Scopes  uint64               `json:"scopes"`  // scopes read at both ends
	Dropped uint64               `json:"dropped"` // ended scopes not read at both ends
	Values  map[string]jsonValue `json:"values"`  // by name
}

type jsonValue struct {
	Total  uint64  `json:"total"`            // recursive scopes count once
	Nested uint64  `json:"nested,omitempty"` // part that counts recursive scopes again
	Self   uint64  `json:"self"`
	Mean   float64 `json:"mean"` // per scope

	// Distribution over the scopes, including and excluding inner scopes: the non-empty buckets.
	// Omitted if the collector has none.
	Buckets     []jsonValueBucket `json:"buckets,omitempty"`
	SelfBuckets []jsonValueBucket `json:"self_buckets,omitempty"`
}

type jsonValueBucket struct {
	Lo    uint64      `json:"lo"` // lo ≤ value < hi
	Hi    uint64      `json:"hi"`
	Count uint64      `json:"count"`
	Sum   uint64      `json:"sum"`
	SumSq json.Number `json:"sumsq"` // exact, may exceed 64 bits
}

// jsonAlloc is the memory allocated in the scopes of a marker, in the json format.
type jsonAlloc struct {
	Scopes  uint64    `json:"scopes"`  // scopes read at both ends
	Dropped uint64    `json:"dropped"` // ended scopes not read at both ends
	Bytes   jsonValue `json:"bytes"`
	Objects jsonValue `json:"objects"`
}

func jsonAllocated(m *profile.Marker, collector string) *jsonAlloc {
	r := m.Reading(collector)
	bytes, objects := r.Value(profile.AllocBytes), r.Value(profile.AllocObjects)
	if bytes == nil || objects == nil {
		return nil
	}
	return &jsonAlloc{r.Scopes, r.Dropped, valueAsJSON(r, bytes), valueAsJSON(r, objects)}
}

func valueAsJSON(r *profile.Reading, v *profile.Value) jsonValue {
	return jsonValue{v.Total(), v.Nested, v.Self, r.Mean(*v), bucketsAsJSON(v.Buckets), bucketsAsJSON(v.SelfBuckets)}
}

func bucketsAsJSON(list []profile.ValueBucket) (out []jsonValueBucket) {
	for i := range list {
		b := &list[i]
		out = append(out, jsonValueBucket{b.Lo(), b.Hi(), b.Count, b.Sum, json.Number(b.SumSq.String())})
	}
	return out
}

func jsonReadings(m *profile.Marker) map[string]jsonReading {
	var all map[string]jsonReading
	for i := range m.Readings {
		r := &m.Readings[i]
		if r.Collector == profile.Alloc || r.Collector == profile.ProcessAlloc {
			continue
		}
		if all == nil {
			all = map[string]jsonReading{}
		}
		values := map[string]jsonValue{}
		for k := range r.Values {
			values[r.Values[k].Name] = valueAsJSON(r, &r.Values[k])
		}
		all[r.Collector] = jsonReading{Scopes: r.Scopes, Dropped: r.Dropped, Values: values}
	}
	return all
}
