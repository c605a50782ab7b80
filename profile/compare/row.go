package compare

import (
	"math"
	"slices"
)

// row is one figure of one marker over all runs, the old ones first.
type row struct {
	series *series
	figure int
	raw    []float64 // as measured; NaN if the run has none
	log    []float64 // logarithm of raw; zeros count as half the smallest positive value
	tested []float64 // log without the shared part
}

// rows returns the figures that can be compared: those of markers that at least half of the runs
// called, often enough for the figure. The choice does not depend on the labels, except that a
// marker must have calls on both sides.
func (c *Comparison) rows() []row {
	var rows []row
	for _, s := range c.sorted() {
		if s.counts[Old].Hi == 0 || s.counts[New].Hi == 0 {
			continue
		}
		if s.off && (c.metric.name == "count" || c.metric.name == "total") {
			continue
		}
		n := slices.Concat(c.column(s, Old, s.scopes[Old], 0, 1), c.column(s, New, s.scopes[New], 0, 1))
		typical := median(present(n))
		for f, figure := range c.metric.figures {
			r := row{series: s, figure: f}
			for label, values := range s.values {
				r.raw = append(r.raw, c.column(s, Label(label), values, f, len(c.metric.figures))...)
			}
			some := present(r.raw)
			if typical < figure.least || 2*len(some) < len(r.raw) || len(present(r.raw[:c.sides[Old].Runs])) == 0 || len(present(r.raw[c.sides[Old].Runs:])) == 0 {
				continue
			}
			r.log = logarithms(r.raw)
			if r.log == nil {
				continue // all values are 0
			}
			r.tested = r.log
			rows = append(rows, r)
		}
	}
	return rows
}

// column returns every step-th value of list from from on, one for each run of the side.
func (c *Comparison) column(s *series, label Label, list []float64, from, step int) []float64 {
	column := make([]float64, c.sides[label].Runs)
	for i := range column {
		column[i] = math.NaN()
		if at := from + i*step; at < len(list) {
			column[i] = list[at]
		}
	}
	return column
}

// logarithms returns the logarithms of values that are at least 0; nil if no value is above 0.
func logarithms(values []float64) []float64 {
	least := math.Inf(1)
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 0) {
		return nil
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
		if v <= 0 {
			logs[i] = math.Log(least / 2)
		}
	}
	return logs
}

// clip is the distance from the median, in standard deviations, at which values are clipped. It
// corresponds to Huber's estimator at about three standard deviations, where little is lost if
// values are normal.
const clip = 3

// minDeviation is the minimum of the relative standard deviation. It keeps nearly equal values,
// such as short times in whole ns, from giving arbitrarily large differences.
const minDeviation = 0.002

// robust clips outliers and subtracts the median. NaN values stay.
func robust(values []float64) []float64 {
	some := present(values)
	m := median(some)
	for i := range some {
		some[i] = math.Abs(some[i] - m)
	}
	limit := clip * max(minDeviation, perDeviation*median(some))
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Max(-limit, math.Min(limit, v-m))
	}
	return out
}

// perDeviation converts the median absolute deviation to the standard deviation of normal values:
// 1/Φ⁻¹(3/4).
const perDeviation = 1.4826

// standard scales the values to mean 0 and sum of squares 1. Missing values become 0, and all
// values do if they are equal.
func standard(values []float64) []float32 {
	some := present(values)
	mean := 0.0
	for _, v := range some {
		mean += v / float64(len(some))
	}
	squares := 0.0
	for _, v := range some {
		squares += (v - mean) * (v - mean)
	}
	out := make([]float32, len(values))
	for i, v := range values {
		if !math.IsNaN(v) && squares > 1e-20 {
			out[i] = float32((v - mean) / math.Sqrt(squares))
		}
	}
	return out
}

// present returns the values that are not NaN, in a new slice.
func present(values []float64) []float64 {
	some := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			some = append(some, v)
		}
	}
	return some
}

// median returns the median, or NaN if there are no values. It sorts values.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
