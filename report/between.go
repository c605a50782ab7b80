package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/units"
)

// WriteBetween writes the distribution of the times between two markers: statistics, and a bar for
// each power of two.
func WriteBetween(out io.Writer, b *trace.Between, o Options) error {
	w := bufio.NewWriter(out)
	ink := ink(o.Color)
	pairs := units.Count(b.Count)
	if b.Unpaired > 0 {
		pairs += fmt.Sprintf(", and %s unpaired", units.Plural(int(min(b.Unpaired, math.MaxInt)), "scope"))
		if b.Left > 0 {
			pairs += fmt.Sprintf(": %s left by a panic or runtime.Goexit", units.Count(b.Left))
		} else if b.Count == 0 {
			pairs += ": both of a pair are on one goroutine, FROM before TO"
		}
	}
	lines := [][2]string{{"from", printable(b.From.String())}, {"to", printable(b.To.String())}, {"pairs", pairs}}
	if b.Count > 0 {
		lines = append(lines,
			[2]string{"mean", fmt.Sprintf("%s, deviation %s", units.Duration(b.MeanNS()), units.Duration(b.StddevNS()))},
			[2]string{"times", fmt.Sprintf("min %s, p50 %s, p90 %s, p99 %s, max %s", units.Duration(b.MinNS),
				units.Duration(b.QuantileNS(0.5)), units.Duration(b.QuantileNS(0.9)), units.Duration(b.QuantileNS(0.99)), units.Duration(b.MaxNS))},
			[2]string{"overhead", units.Duration(b.CostNS/float64(b.Count)) + " a pair, subtracted"},
			[2]string{"slowest", fmt.Sprintf("%s, from %s after the start of %s, on goroutine %d", units.Duration(b.Slowest.NS),
				units.Duration(b.Slowest.StartNS), printable(filepath.Base(b.Slowest.File)), b.Slowest.Goroutine)},
		)
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%s %s\n", ink.paint(faint, fmt.Sprintf("%-9s", line[0])), line[1])
	}
	if b.Count > 0 {
		w.WriteByte('\n')
		writeOctaves(w, b.Octaves())
	}
	return w.Flush()
}

// barWidth is the length of the longest bar.
const barWidth = 40

func writeOctaves(w *bufio.Writer, octaves []trace.Octave) {
	most, counts := uint64(0), 0
	for _, o := range octaves {
		most = max(most, o.Count)
		counts = max(counts, len(units.Count(o.Count)))
	}
	for _, o := range octaves {
		bar := ""
		if o.Count > 0 {
			bar = " " + strings.Repeat("#", max(1, int(math.Round(barWidth*float64(o.Count)/float64(most)))))
		}
		hi := 2 * o.LoNS
		if o.LoNS == 0 {
			hi = 2
		}
		fmt.Fprintf(w, "%7s … %-7s %*s%s\n", units.Duration(o.LoNS), units.Duration(hi), counts, units.Count(o.Count), bar)
	}
}
