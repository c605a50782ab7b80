package report

import (
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// The heights of a bar, from low to high; zero is a space.
var (
	blocks      = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	asciiBlocks = []string{".", ":", "-", "=", "+", "*", "#", "@"}
)

// histogram returns a line with a bar for each power of two from a marker's minimum to its maximum
// time, or "" if it has no times.
//
// The height of a bar is the logarithm of the number of scopes, so that rare slow scopes, which
// often matter most, are visible, too. The colour is by the share of the marker's total time. If
// the width is too small, adjacent bars are merged.
func histogram(m *profile.Marker, o Options) string {
	n := len(m.Buckets)
	if n == 0 {
		return ""
	}
	shapes, to := blocks, " … "
	if o.ASCII {
		shapes, to = asciiBlocks, " .. "
	}
	first, last := m.Buckets[0], m.Buckets[n-1]
	label := pad(units.WholeDuration(first.LoNS()), -9) + to + pad(units.WholeDuration(last.HiNS()), 7) + " "
	places := int(last.K-first.K) + 1
	each := 1 // buckets per character
	if room := max(1, o.Width-width(label)); o.Width > 0 && places > room {
		each = (places + room - 1) / room
		places = (places + each - 1) / each
	}
	counts, sums := make([]uint64, places), make([]uint64, places)
	most := uint64(0)
	for _, b := range m.Buckets {
		i := int(b.K-first.K) / each
		counts[i] += b.Count
		sums[i] += b.SumNS
		most = max(most, counts[i])
	}
	ink := ink(o.Color)
	total := m.SumNS()
	var line strings.Builder
	line.WriteString(ink.paint(faint, label))
	var run strings.Builder // bars of the same style
	style := plain
	for i, count := range counts {
		if s := heat(float64(sums[i]), float64(total)); s != style {
			line.WriteString(ink.paint(style, run.String()))
			run.Reset()
			style = s
		}
		run.WriteString(bar(count, most, shapes))
	}
	line.WriteString(ink.paint(style, run.String()))
	return line.String()
}

// bar returns the character for a count, where most is the maximum count.
func bar(count, most uint64, shapes []string) string {
	if count == 0 {
		return " "
	}
	return shapes[int(math.Round(math.Log2(1+float64(count))/math.Log2(1+float64(most))*float64(len(shapes)-1)))]
}

// pad pads text to n characters with spaces: on the right, or on the left if n is negative.
func pad(text string, n int) string {
	fill := strings.Repeat(" ", max(0, max(n, -n)-width(text)))
	if n < 0 {
		return fill + text
	}
	return text + fill
}
