package report

import (
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
)

func anyMarker(*profile.Marker) bool      { return true }
func isTimed(m *profile.Marker) bool      { return !m.CountOnly }
func wasTimed(m *profile.Marker) bool     { return len(m.Buckets) > 0 }
func countOf(m *profile.Marker) float64   { return float64(m.Count) }
func totalSecs(m *profile.Marker) float64 { return seconds(m.TotalNS()) }
func selfSecs(m *profile.Marker) float64  { return seconds(m.SelfNS) }

// figures returns the statistics of markers except histograms.
func (b *promBuilder) figures() []promFamily {
	list := []promFamily{
		gauge("marker_info", "The marker: where it is, and its group.", func(add add) {
			for i, m := range b.markers {
				add(append(promLabels("file", m.File, "group", m.Group, "line", strconv.Itoa(m.Line)), b.labels[i]...), 1)
			}
		}),
		gauge("marker_off", "1 for markers that were turned off, for the reason that the label tells; scopes after that are missing.",
			func(add add) {
				for i, m := range b.markers {
					if m.Off != "" {
						add(append(promLabels("reason", m.Off), b.labels[i]...), 1)
					}
				}
			}),
		counter("scopes_total", "Scopes of the marker.", b.each(anyMarker, countOf)),
		counter("time_seconds_total", "Time spent in the marker, recursion once.", b.each(isTimed, totalSecs)),
	}
	if !b.p.NoSelf {
		list = append(list, counter("self_time_seconds_total", "Time spent in the marker without that in scopes opened within.",
			b.each(isTimed, selfSecs)))
	}
	return append(list,
		gauge("scope_min_seconds", "The shortest scope.",
			b.each(wasTimed, func(m *profile.Marker) float64 { return seconds(m.MinNS) })),
		gauge("scope_max_seconds", "The longest scope.",
			b.each(wasTimed, func(m *profile.Marker) float64 { return seconds(m.MaxNS) })),
		gauge("open_scopes", "Scopes that had not ended.",
			b.each(isTimed, func(m *profile.Marker) float64 { return float64(m.Open) })),
	)
}

// estimates returns the statistical errors of markers whose values are estimates.
func (b *promBuilder) estimates() []promFamily {
	told := func(m *profile.Marker) bool {
		_, ok := m.MeanSE()
		return ok && m.Sampled()
	}
	return []promFamily{
		gauge("sample_rate", "N, where 1 in N scopes was recorded and the marker's figures are estimates.",
			b.each((*profile.Marker).Sampled, func(m *profile.Marker) float64 { return float64(max(m.Sample, 1)) })),
		counter("sampled_scopes_total", "Scopes that were recorded, where the marker's figures are estimates.",
			b.each((*profile.Marker).Sampled, func(m *profile.Marker) float64 { return float64(m.Samples) })),
		gauge("scopes_standard_error", "Standard error of markgen_scopes_total where that is an estimate.",
			b.each((*profile.Marker).Sampled, (*profile.Marker).CountSE)),
		gauge("scope_mean_standard_error_seconds",
			"Standard error of the mean time of a scope where that is an estimate and there are samples enough to tell.",
			b.each(told, func(m *profile.Marker) float64 {
				ns, _ := m.MeanSE()
				return seconds(ns)
			})),
	}
}

// callers returns the values by caller. They have separate families, since the markers' own values
// already include them.
func (b *promBuilder) callers() []promFamily {
	each := func(of func(m *profile.Marker) float64) func(add) {
		return func(add add) {
			for i, m := range b.markers {
				for k := range m.Callers {
					c := &m.Callers[k]
					id := ""
					if c.ID != 0 {
						id = c.ID.String()
					}
					add(append(promLabels("caller", c.Name, "caller_id", id), b.labels[i]...), of(&c.Marker))
				}
			}
		}
	}
	list := []promFamily{
		counter("caller_scopes_total", "Scopes of the marker under this caller.", each(countOf)),
		counter("caller_time_seconds_total", "Time spent in the marker under this caller, recursion once.", each(totalSecs)),
	}
	if !b.p.NoSelf {
		list = append(list, counter("caller_self_time_seconds_total",
			"Time spent in the marker under this caller without that in scopes opened within.", each(selfSecs)))
	}
	return list
}

// collected returns the readings of collectors besides time, with a family for each unit. The names
// of collectors and values are defined by the program, so they are labels.
func (b *promBuilder) collected() []promFamily {
	scopes := func(of func(r *profile.Reading) uint64) func(add) {
		return func(add add) {
			for i, m := range b.markers {
				for k := range m.Readings {
					r := &m.Readings[k]
					add(append(promLabels("collector", r.Collector), b.labels[i]...), float64(of(r)))
				}
			}
		}
	}
	values := func(suffix string, of func(v *profile.Value) uint64) func(add) {
		return func(add add) {
			for i, m := range b.markers {
				for _, r := range m.Readings {
					for k := range r.Values {
						v := &r.Values[k]
						if unitOf(v.Name) != suffix {
							continue
						}
						n := float64(of(v))
						if suffix == "_ns" {
							n = seconds(n)
						}
						add(append(promLabels("collector", r.Collector, "value", v.Name), b.labels[i]...), n)
					}
				}
			}
		}
	}
	list := []promFamily{
		counter("collected_scopes_total", "Scopes that the collector read at both ends.",
			scopes(func(r *profile.Reading) uint64 { return r.Scopes })),
		counter("collected_dropped_scopes_total", "Scopes that the collector did not read at both ends.",
			scopes(func(r *profile.Reading) uint64 { return r.Dropped })),
	}
	for _, unit := range []struct{ suffix, name, what string }{{"_ns", "seconds_", "time"}, {"_bytes", "bytes_", "bytes"}, {"", "", "a number"}} {
		list = append(list,
			counter("collected_"+unit.name+"total", "What the value, "+unit.what+", grew by in the marker's scopes, recursion once.",
				values(unit.suffix, (*profile.Value).Total)),
			counter("collected_self_"+unit.name+"total", "What the value, "+unit.what+", grew by in the marker's scopes without that in scopes opened within.",
				values(unit.suffix, func(v *profile.Value) uint64 { return v.Self })),
		)
	}
	return list
}

// unitOf returns the suffix of a value's name that is its unit, or "" for a plain number. A name
// may consist of only the unit.
func unitOf(value string) string {
	for _, suffix := range []string{"_ns", "_bytes"} {
		if strings.HasSuffix("_"+value, suffix) {
			return suffix
		}
	}
	return ""
}
