//go:build go1.26 && !markgen_off

package perf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// BenchmarkPath compares scopes that are also recorded by path, without and with buckets, with scopes
// that are not, in batches that alternate, since other work on the machine disturbs all alike. The
// first three are scopes of one marker inside others, the last those of 100 markers in random order.
// ratio and ratio-buckets are medians, ns is the shortest scope without paths.
func BenchmarkPath(b *testing.B) {
	const count = 160
	var m [count]Marker
	var text strings.Builder
	text.WriteString("p\tbench\nf\tbench.go\n")
	for i := range count {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tbench.F%d\n", i+1, i, i)
	}
	b.Setenv("MARKGEN", "paths,buckets,report=/dev/null")
	if !Register(&m[0], count, nil, 0, text.String()) {
		b.Fatal("nothing is collected")
	}
	Enter(&m[0]).Exit()
	kept := hot.hooks
	if kept&hookPaths == 0 {
		b.Skip("another benchmark has begun a run without paths")
	}
	defer func() { hot.hooks, pathTimes = kept, true }()
	pathTimes = false
	for _, bench := range []struct{ open, children int }{{1, 1}, {10, 1}, {50, 1}, {1, 100}} {
		b.Run(fmt.Sprintf("%d-open-%d-children", bench.open, bench.children), func(b *testing.B) {
			var around [count]Entered
			for i := range bench.open {
				around[i] = Enter(&m[count-1-i])
			}
			x := uint64(1)
			batch := func() uint64 {
				from := now()
				for range 2000 {
					x = x*6364136223846793005 + 1442695040888963407
					Enter(&m[1+x>>33%uint64(bench.children)]).Exit()
				}
				return now() - from
			}
			var ratios, withTimes []float64
			least := ^uint64(0)
			for b.Loop() {
				hot.hooks = kept
				with := batch()
				pathTimes = true
				times := batch()
				pathTimes = false
				hot.hooks = kept &^ hookPaths
				without := batch()
				hot.hooks = kept
				least = min(least, without)
				ratios = append(ratios, float64(with)/float64(without))
				withTimes = append(withTimes, float64(times)/float64(without))
			}
			slices.Sort(ratios)
			slices.Sort(withTimes)
			b.ReportMetric(float64(toNS(least))/2000, "ns")
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(withTimes[len(withTimes)/2], "ratio-buckets")
			for i := bench.open - 1; i >= 0; i-- {
				around[i].Exit()
			}
		})
	}
}
