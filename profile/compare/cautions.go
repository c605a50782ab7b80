package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// notes are the cautions from the runs' files.
type notes struct {
	cautions []string
	sums     [2]int // number of profiles that are sums of several processes
	plain    [2]int
	builds   [2][]string // Go versions and systems, by run
	clocks   [2][]string
	untimed  int
}

// add adds the cautions of a run.
func (n *notes) add(label Label, p *profile.Profile) {
	for _, warning := range p.Warnings { // not Cautions: they differ slightly between runs
		if !slices.Contains(n.cautions, warning) {
			n.cautions = append(n.cautions, warning)
		}
	}
	if p.Runs > 1 {
		n.sums[label]++
	} else {
		n.plain[label]++
	}
	if p.Untimed {
		n.untimed++
	}
	note := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	note(&n.builds[label], strings.TrimSpace(p.Go+" "+p.GOOS+"/"+p.GOARCH))
	note(&n.clocks[label], p.Clock.Kind)
}

// cautions returns the cautions of the files, and differences between the sides that are not in the
// code.
func (c *Comparison) cautions() []string {
	n := &c.notes
	list := slices.Clone(n.cautions)
	differ := func(what string, texts [2][]string) {
		slices.Sort(texts[Old])
		slices.Sort(texts[New])
		if !slices.Equal(texts[Old], texts[New]) {
			list = append(list, fmt.Sprintf("%s differ: old %s, new %s; changes may be due to that", what, strings.Join(texts[Old], ", "), strings.Join(texts[New], ", ")))
		}
	}
	differ("Go version or system", n.builds)
	old, fresh := c.sides[Old], c.sides[New]
	timed := c.options.Counts != CountsOnly
	if timed {
		differ("clocks", n.clocks)
	}
	if a, b := old.Clock.Hz, fresh.Clock.Hz; timed && a > 0 && b > 0 && old.Clock.Kind == fresh.Clock.Kind && math.Abs(a/b-1) > 0.01 {
		list = append(list, fmt.Sprintf("the clocks' rates differ, %.3f and %.3f GHz: these are two machines, and changes may be due to that", a/1e9, b/1e9))
	}
	for label, name := range [...]string{"old", "new"} {
		if n.sums[label] == 1 && n.plain[label] == 0 {
			list = append(list, name+" is one profile that several processes were added up in: it is one run; give their files, if they were runs of their own")
		} else if n.sums[label] > 0 && n.plain[label] > 0 {
			list = append(list, name+": some files are sums of several processes' data and some are not; each is taken as one run")
		}
	}
	if timed && old.Runs > 1 && fresh.Runs > 1 && (c.last[Old].Before(c.first[New]) || c.last[New].Before(c.first[Old])) {
		list = append(list, "all runs of one side were made before the first of the other: a machine that changed its speed in between looks like a change; make old and new runs in turn")
	}
	if timed && n.untimed > 0 {
		list = append(list, fmt.Sprintf("%d of the runs were traced and not timed; run them with collect=time", n.untimed))
	}
	list = append(list, c.countCautions()...)
	if sampled, off := c.special(); sampled+off > 0 {
		if sampled > 0 && !timed {
			list = append(list, fmt.Sprintf("sampled markers: %d; their counts are estimates, which are not compared; make runs without sample=", sampled))
		} else if sampled > 0 {
			list = append(list, fmt.Sprintf("sampled markers: %d; their figures are estimates, which vary more from run to run", sampled))
		}
		if off > 0 && !timed {
			list = append(list, fmt.Sprintf("markers that were off in a part of a run: %d; their counts are not compared", off))
		} else if off > 0 {
			list = append(list, fmt.Sprintf("markers that were off in a part of a run: %d; their scopes meanwhile are missing", off))
		}
	}
	return list
}

// special returns the number of markers that were sampled, and of markers that were turned off.
func (c *Comparison) special() (sampled, off int) {
	for _, s := range c.markers {
		if s.sampled {
			sampled++
		}
		if s.off {
			off++
		}
	}
	return sampled, off
}
