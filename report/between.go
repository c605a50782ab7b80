package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
)

// WriteBetween writes how the times between two markers are distributed: figures,
// and a bar for every factor of two.
func WriteBetween(out io.Writer, b *profile.Between, o Options) error {
	w := bufio.NewWriter(out)
	ink := ink(o.Color)
	pairs := count(b.Count)
	if b.Unpaired > 0 {
		pairs += fmt.Sprintf(", and %s unpaired", plural(int(min(b.Unpaired, math.MaxInt)), "passage"))
	}
	lines := [][2]string{{"from", printable(b.From.String())}, {"to", printable(b.To.String())}, {"pairs", pairs}}
	if b.Count > 0 {
		lines = append(lines,
			[2]string{"mean", fmt.Sprintf("%s, deviation %s", duration(b.MeanNS()), duration(b.StddevNS()))},
			[2]string{"times", fmt.Sprintf("min %s, p50 %s, p90 %s, p99 %s, max %s", duration(b.MinNS),
				duration(b.QuantileNS(0.5)), duration(b.QuantileNS(0.9)), duration(b.QuantileNS(0.99)), duration(b.MaxNS))},
			[2]string{"overhead", duration(b.CostNS/float64(b.Count)) + " a pair, taken off"},
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

func writeOctaves(w *bufio.Writer, octaves []profile.Octave) {
	most, counts := uint64(0), 0
	for _, o := range octaves {
		most = max(most, o.Count)
		counts = max(counts, len(count(o.Count)))
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
		fmt.Fprintf(w, "%7s … %-7s %*s%s\n", duration(o.LoNS), duration(hi), counts, count(o.Count), bar)
	}
}
