package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/units"
)

// leaveFlags are the flags of build, run, test and list that leave out markers.
type leaveFlags struct {
	min    int      // -min
	share  float64  // -budget, as a part of 1; 0 if there is none
	from   []string // -from
	budget *budget  // what read makes of -budget and -from, or nil
}

// add adds the flags.
func (f *leaveFlags) add(fs *flag.FlagSet) {
	fs.Func("min", "", func(text string) (err error) {
		if f.min, err = strconv.Atoi(text); err != nil || f.min < 1 {
			return errors.New("give a number of nodes, such as 80")
		}
		return nil
	})
	fs.Func("budget", "", func(text string) error {
		number, ok := strings.CutSuffix(text, "%")
		v, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || !(v > 0) || v >= 100 {
			return errors.New("give a part of the processor time above 0% and below 100%, such as 1%")
		}
		f.share = v / 100
		return nil
	})
	fs.Func("from", "", func(text string) error {
		f.from = append(f.from, text)
		return nil
	})
}

// read checks the flags and reads the data of -from.
func (f *leaveFlags) read(e *cli.Env) (code int, done bool) {
	switch {
	case f.share == 0 && len(f.from) == 0:
		return cli.OK, false
	case f.share == 0:
		return e.Wrong("-from is for -budget; say what markers may cost, -budget 1%%"), true
	case len(f.from) == 0:
		return e.Wrong("-budget needs to know what markers cost; give the data of an earlier run, -from DATA"), true
	}
	f.budget = &budget{share: f.share, data: strings.Join(f.from, " "), reasons: map[string]string{}, markers: map[string]bool{}, packages: map[string]bool{}}
	for _, from := range f.from {
		p, code := readRuns(e, []string{from})
		if p == nil || code != cli.OK {
			return code, true
		}
		chosen, err := p.Budget(f.share)
		if err != nil {
			return e.Fail(fmt.Errorf("-from %s: %w", from, err)), true
		}
		f.budget.add(from, p, chosen)
		if p.Cost.Share() > uncertain && !slices.ContainsFunc(p.Markers, func(m profile.Marker) bool { return m.Demoted() }) {
			e.Warn(fmt.Sprintf("-from %s: timing all scopes took about %.0f %% of the processor time of that run, so that of the program itself is uncertain, and the forecast may be too low; give data of a run without -exact", from, 100*p.Cost.Share()))
		}
	}
	return cli.OK, false
}

// uncertain is the part of the processor time that markers took in a run without demoted markers from
// which the rest, the program's own, is too uncertain for a budget: with calibrated costs that are too
// low by a third, the rest seems twice as long.
const uncertain = 0.6

// A budget is what -budget and -from leave out of a build: what is too expensive in the data of any
// -from.
type budget struct {
	share            float64
	forecast, before float64           // of the most expensive data
	data             string            // names of the data
	reasons          map[string]string // why a marker is left out, by name
	markers          map[string]bool   // names in the data
	packages         map[string]bool   // import paths of these
}

func (b *budget) add(from string, p *profile.Profile, chosen *profile.Budget) {
	b.forecast, b.before = max(b.forecast, chosen.Forecast), max(b.before, chosen.Before)
	for i := range p.Markers {
		b.markers[p.Markers[i].Name] = true
		b.packages[p.Markers[i].Package] = true
	}
	for _, l := range chosen.Left {
		if b.reasons[l.Name] != "" {
			continue
		}
		what := "it"
		if l.Cause.Marker != l.Marker {
			what = "its function"
		}
		b.reasons[l.Name] = fmt.Sprintf("%s takes %s of the processor time in %s; the budget of all is %s", what, shareText(l.Cause.NS/chosen.Program), from, shareText(b.share))
	}
}

// shareText formats a part of 1 for messages: 1%, 0.84%, 12.3%, <0.01%.
func shareText(share float64) string {
	if share > 0 && share < 0.00005 {
		return "<0.01%"
	}
	text := units.Significant(100 * share)
	if whole, ok := strings.CutSuffix(text, ".00"); ok {
		text = whole
	}
	return text + "%"
}

// leave returns why a point gets no marker, or "", for rewrite.Options.
func (b *budget) leave(p *rewrite.Point) string { return b.reasons[p.Name] }

// key identifies what is left out.
func (b *budget) key() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(b.reasons)) {
		fmt.Fprintf(h, "%q", name)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// check returns an error if the data have no marker of the packages to be marked: they are of
// another program.
func (b *budget) check(packages []string) error {
	for _, path := range packages {
		if b.packages[path] || b.packages[path+externalTest] {
			return nil
		}
	}
	return fmt.Errorf("-from %s: these are the data of another program: they have no marker of the packages here; run this program with markgen run, and give its data", b.data)
}

// tell prints what is left out and the forecast.
func (b *budget) tell(e *cli.Env) {
	note(e, fmt.Sprintf("%d of %s in %s are left out: forecast %s of the processor time, %s before; budget %s",
		len(b.reasons), units.Plural(len(b.markers), "marker"), b.data, shareText(b.forecast), shareText(b.before), shareText(b.share)))
	if b.forecast > b.share {
		e.Warn(fmt.Sprintf("the budget is not met: what is left are regions and points, which stay; take some out of the source, or collect a sample (MARKGEN=sample=1:%.0f)", b.forecast/b.share+1))
	}
}

// nothing returns a hint for a build in which no marker remains.
func (b *budget) nothing() string {
	return fmt.Sprintf("nothing is marked: of %s in %s none is both asked for by the flags of this build and within the budget; give the flags of the build that made the data, such as -all",
		units.Plural(len(b.markers), "marker"), b.data)
}

// measured prints what the markers of a run took beside the forecast. b may be nil.
func (b *budget) measured(e *cli.Env, p *profile.Profile) {
	if b == nil {
		return
	}
	took := "what markers took is not known of a run that is this short, or was killed"
	if share, ok := p.Overhead(); ok {
		took = fmt.Sprintf("markers took about %s of the processor time", shareText(share))
	}
	note(e, fmt.Sprintf("%s; forecast %s, budget %s", took, shareText(b.forecast), shareText(b.share)))
}
