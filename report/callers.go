package report

import (
	"bufio"
	"cmp"
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// writeCallers writes the statistics by caller: below each marker's name, a line for each caller.
func writeCallers(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) {
	ink := ink(o.Color)
	measured := func(ns float64) string { return units.Measured(ns, p.Clock.QuantumNS) }
	some := false
	for _, m := range markers {
		if len(m.Callers) == 0 {
			continue
		}
		if !some {
			fmt.Fprintln(w, ink.paint(strong, "by caller"))
			some = true
		}
		fmt.Fprintln(w, o.common.cut(m.Name))
		for i := range m.Callers {
			c := &m.Callers[i]
			name := cmp.Or(o.common.cut(c.Name), "(no marker)")
			fmt.Fprintf(w, "  from %s: count %s, total %s, mean %s, p50 %s, p99 %s\n", name, units.Count(c.Count), units.WholeDuration(c.TotalNS()),
				measured(c.MeanNS()), measured(c.QuantileNS(0.5)), measured(c.QuantileNS(0.99)))
			for _, r := range c.Readings {
				for _, v := range r.Values {
					fmt.Fprintf(w, "    %s %s: %s in %s\n", printable(r.Collector), printable(v.Name), units.Count(v.Total()), units.Plural(int(r.Scopes), "scope"))
				}
			}
		}
	}
	if some {
		w.WriteByte('\n')
	}
}
