package top

import (
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// A scale is the range of times in histograms, the same for all rows: bars of each buckets, from
// bucket number from on.
type scale struct {
	from, each, bars int
}

// scaleFor returns the scale that fits all buckets of the rows into at most width bars.
func scaleFor(rows []*row, width int) scale {
	first, last := uint8(0), -1
	for _, r := range rows {
		if b := r.in.Buckets; len(b) > 0 {
			if last < 0 || b[0].K < first {
				first = b[0].K
			}
			last = max(last, int(b[len(b)-1].K))
		}
	}
	if last < 0 || width < 1 {
		return scale{}
	}
	n := last - int(first) + 1
	each := (n + width - 1) / width
	return scale{int(first), each, (n + each - 1) / each}
}

// label returns the range of the scale in at most width characters.
func (s scale) label(width int) string {
	if s.bars == 0 {
		return "times"
	}
	last := s.from + s.each*s.bars - 1
	from := units.Duration(float64(profile.Bucket{K: uint8(s.from)}.LoNS()))
	to := units.Duration(float64(profile.Bucket{K: uint8(min(last, 63))}.HiNS()))
	text := short(from) + "…" + short(to)
	if len([]rune(text)) > width {
		return "times"
	}
	return text
}

// short drops the digits after the point, as scales are rough.
func short(duration string) string {
	digits, rest, ok := strings.Cut(duration, ".")
	if !ok {
		return duration
	}
	return digits + strings.TrimLeft(rest, "0123456789")
}

// histogram draws the buckets like a report.
func (s scale) histogram(buckets []profile.Bucket) string {
	if s.bars == 0 {
		return ""
	}
	counts := make([]uint64, s.bars)
	for _, b := range buckets {
		if i := (int(b.K) - s.from) / s.each; int(b.K) >= s.from && i < s.bars {
			counts[i] += b.Count
		}
	}
	return report.Bars(counts)
}
