package pages

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Histograms of time or memory per call, drawn as in the HTML report: a bar for each bucket, which
// is twice as wide as the one before. Height is the logarithm of the number, colour the bucket's
// share of the total time or memory, opacity the number.

const (
	histogramWidth = 480
	histogramBars  = 110 // height of the highest bar
	minBuckets     = 12  // fewer buckets are drawn as narrow as this many
)

// A bucket is a bucket of a measure.
type bucket struct {
	k          int
	count, sum uint64
}

// A measure is a quantity with buckets.
type measure struct {
	title string // name of the quantity
	share string // name of the total, for shares
	low   func(k int) float64
	high  func(k int) float64
	write func(v float64) string
	place func(v float64) float64 // position of a value, in buckets
	marks []mark
}

// A mark is a number that may appear on the scale.
type mark struct {
	value float64
	name  string
}

var timeMeasure = measure{
	title: "time",
	share: "time",
	low: func(k int) float64 {
		if k == 0 {
			return 0
		}
		return math.Ldexp(1, k)
	},
	high:  func(k int) float64 { return math.Ldexp(1, k+1) },
	write: units.Duration,
	place: math.Log2,
	marks: timeMarks(),
}

func timeMarks() (list []mark) {
	for i, unit := range []string{"ns", "µs", "ms"} {
		for k, n := range []string{"1", "10", "100"} {
			list = append(list, mark{math.Pow10(3*i + k), n + unit})
		}
	}
	return append(list, mark{1e9, "1s"}, mark{1e10, "10s"}, mark{1e11, "100s"}, mark{3.6e12, "1h"}, mark{8.64e13, "1d"})
}

var bytesMeasure = measure{
	title: "memory",
	share: "memory",
	low: func(k int) float64 {
		if k == 0 {
			return 0
		}
		return math.Ldexp(1, k-1)
	},
	high:  func(k int) float64 { return math.Ldexp(1, k) },
	write: size,
	place: func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return math.Log2(v) + 1
	},
	marks: bytesMarks(),
}

func bytesMarks() []mark {
	list := []mark{{0, "0"}}
	for e := 4; e < 50; e += 2 {
		list = append(list, mark{math.Ldexp(1, e), fmt.Sprint(1<<(e%10)) + []string{"B", "KiB", "MiB", "GiB", "TiB"}[e/10]})
	}
	return list
}

// timeBuckets returns the buckets of a marker's times.
func timeBuckets(m *profile.Marker) (list []bucket) {
	for _, b := range m.Buckets {
		list = append(list, bucket{int(b.K), b.Count, b.SumNS})
	}
	return list
}

func valueBuckets(buckets []profile.ValueBucket) (list []bucket) {
	for _, b := range buckets {
		list = append(list, bucket{int(b.K), b.Count, b.Sum})
	}
	return list
}

// A histogram is a drawn histogram, with a description and a table of its content.
type histogram struct {
	ID      string
	Title   string
	Desc    string
	Width   int
	Base    int // y of the axis
	Height  int
	Bars    []histogramBar
	Marks   []drawnMark
	Buckets table
}

type histogramBar struct {
	X, Y, Width, Height string
	Heat                int
	Strength            string
	Title               string
}

type drawnMark struct {
	X, Text string
	Name    string
	Anchor  string
}

// draw draws a non-empty list of buckets for a kind of marker.
func (u *measure) draw(id, title, kind string, list []bucket) *histogram {
	low, high := list[0].k, list[len(list)-1].k
	low = max(0, low-max(0, minBuckets-(high-low))/2)
	high = max(high, low+minBuckets)
	unit := histogramWidth / float64(high-low+1)
	x := func(place float64) float64 { return (place - float64(low)) * unit }

	most, all, sum := uint64(0), 0.0, 0.0
	for _, b := range list {
		most = max(most, b.count)
		all += float64(b.count)
		sum += float64(b.sum)
	}
	h := &histogram{
		ID: id, Title: title, Width: histogramWidth, Base: histogramBars, Height: histogramBars + 26,
		Buckets: table{Caption: title + ", by buckets", Head: []string{"From – to", "Number", "Share", "Share of the " + u.share}},
	}
	gap := min(2, unit/5)
	for _, b := range list {
		height := max(2.5, histogramBars*(1+math.Log10(float64(max(1, b.count))))/(1+math.Log10(float64(max(1, most)))))
		share, part := float64(b.count)/all, 0.0
		if sum > 0 {
			part = float64(b.sum) / sum
		}
		bounds := u.bounds(b.k)
		h.Bars = append(h.Bars, histogramBar{
			X: number(x(float64(b.k))), Y: number(histogramBars - height), Width: number(unit - gap), Height: number(height),
			Heat: heatOf(part), Strength: fmt.Sprintf("%.2f", strengthOf(b.count, most)),
			Title: fmt.Sprintf("%s: %s, %s; %s of the %s", bounds, scopes(kind, b.count), percent(share), percent(part), u.share),
		})
		h.Buckets.Rows = append(h.Buckets.Rows, row{name{Text: bounds}, []cell{
			text(units.Count(b.count)), bar(percent(share), share, 0), bar(percent(part), part, heatOf(part)),
		}})
	}
	fullest := list[0]
	for _, b := range list {
		if b.count > fullest.count {
			fullest = b
		}
	}
	h.Desc = fmt.Sprintf("Most, %s of %s, have %s; they go from %s to %s. Below is a table with the same.",
		units.Count(fullest.count), scopes(kind, uint64(all)), u.bounds(fullest.k), u.write(u.low(list[0].k)), u.write(u.high(list[len(list)-1].k)))
	h.Marks = u.scale(x)
	return h
}

// bounds formats the bounds of a bucket.
func (u *measure) bounds(k int) string {
	if u.high(k)-u.low(k) <= 1 {
		return u.write(u.low(k))
	}
	return u.write(u.low(k)) + " – " + u.write(u.high(k))
}

// scale labels the axis with every n-th of the measure's marks, for the smallest n that leaves
// enough room.
func (u *measure) scale(x func(float64) float64) (list []drawnMark) {
	const letter = 11 // width of a character on a narrow screen, where the font is larger
	type placed struct {
		i           int
		at          float64
		left, right float64
		name        string
	}
	var all []placed
	for i, m := range u.marks {
		at := x(u.place(m.value))
		width := float64(letter * len([]rune(m.name)))
		left := min(max(at-width/2, 0), histogramWidth-width)
		if at >= 0 && at <= histogramWidth {
			all = append(all, placed{i, at, left, left + width, m.name})
		}
	}
	for step := 1; ; step++ {
		var some []placed
		fits := true
		for _, p := range all {
			if p.i%step != 0 {
				continue
			}
			if len(some) > 0 && p.left < some[len(some)-1].right+8 {
				fits = false
				break
			}
			some = append(some, p)
		}
		if !fits {
			continue
		}
		for _, p := range some {
			d := drawnMark{X: number(p.at), Text: number(p.at), Name: p.name, Anchor: "middle"}
			switch {
			case p.left == 0:
				d.Anchor, d.Text = "start", "0"
			case p.right == histogramWidth:
				d.Anchor, d.Text = "end", fmt.Sprint(histogramWidth)
			}
			list = append(list, d)
		}
		return list
	}
}

// number formats a coordinate.
func number(v float64) string {
	return cmp.Or(strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), "."), "0")
}
