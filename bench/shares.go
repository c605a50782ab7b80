package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	pprof "github.com/google/pprof/profile"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
)

const (
	// largestFunctions is the number of functions whose shares are compared.
	largestFunctions = 10

	// samplesPerSecond is the number of samples, per second of processor time, of the profiles that a
	// report is from.
	samplesPerSecond = 250
)

// shares compares default reports of programs with every function, loop and branch marked with CPU
// profiles of the plain programs: the share of running self time per function, the processor time,
// and the cost of markers. All runs of the plain program together are one profile, and each marked
// run is compared with it. Of programs whose goroutines wait only deep builds know what is running:
// these have builds of both kinds, and the deep one's shares.
//
// Only markers that are timed have self time. So each sample of the profile counts for the innermost
// of its functions, inlined ones included, that has a timed marker, as the time of unmarked functions
// called in a scope is its self time. Function literals count for the function that they are in.
// Samples without any such function, most of them of the garbage collector, count for none.
func (b *bench) shares(ctx context.Context) error {
	for _, p := range sharedPrograms {
		if !b.programs.MatchString(p.name) {
			continue
		}
		if err := b.programShares(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// programShares measures one program.
func (b *bench) programShares(ctx context.Context, p sharedProgram) error {
	built, err := b.buildShared(ctx, p)
	if err != nil {
		return err
	}
	var plain []float64 // processor time, s
	var profiles []*pprof.Profile
	var runs, deep []*profile.Profile
	profiled, data := filepath.Join(b.work, p.name+".pprof"), b.dataFile(p.name)
	program := func(environ []string, words ...string) (process, error) {
		return runProcess(ctx, built.dir, environ, slices.Concat(b.exec, words, built.args)...)
	}
	collect := func(environ []string, path string) (*profile.Profile, error) {
		if _, err := program(environ, b.markgen, "exec", "-report", "none", "-o", data, path); err != nil {
			return nil, err
		}
		run, err := runfile.Read(data)
		if err == nil && run.Cost == nil {
			err = fmt.Errorf("the data have no processor time")
		}
		return run, err
	}
	for range b.roundsOr(3) {
		ran, err := program(nil, built.plain)
		if err != nil {
			return err
		}
		plain = append(plain, ran.cpu)
		if _, err := program([]string{profileVariable + "=" + profiled}, built.plain); err != nil {
			return err
		}
		taken, err := readProfile(profiled)
		if err != nil {
			return err
		}
		profiles = append(profiles, taken)
		run, err := collect(nil, built.marked)
		if err != nil {
			return err
		}
		runs = append(runs, run)
		if built.deep == "" {
			continue
		}
		if run, err = collect([]string{"MARKGEN=collect=time+wait"}, built.deep); err != nil { // as markgen run -deep
			return err
		}
		deep = append(deep, run)
	}
	all, err := pprof.Merge(profiles)
	if err != nil {
		return err
	}
	compared := runs
	if built.deep != "" {
		compared = deep
	}
	was := profiledShares(all, timedFunctions(compared[0]), built.main)
	var is []map[string]float64
	for _, run := range compared {
		reported, sum := reportedShares(run)
		is = append(is, reported)
		worst, where := was.worst(reported)
		b.record(p.name+", the largest difference of ten functions", atMost(10).in("points"), 100*worst, where)
		b.record(p.name+", first three", atLeast(1), was.agree(reported, sum/1e9*samplesPerSecond), "1 if both have the same")
	}
	for _, run := range runs {
		added := float64(run.Cost.CPUNS)/1e9 - median(plain)
		cost := float64(run.Cost.MarkersNS) / 1e9
		b.record(p.name+", processor time", atMost(2), float64(run.Cost.CPUNS)/1e9/median(plain), fmt.Sprintf("plain %.2f s", median(plain)))
		b.record(p.name+", cost of markers, estimated against measured", atMost(1.5), max(cost/added, added/cost), fmt.Sprintf("estimated %.3f s, measured %.3f s", cost, added))
	}
	return was.write(p.name, is)
}

// reportedShares returns the share of running self time of each function of a run, and the sum, ns.
func reportedShares(run *profile.Profile) (shares map[string]float64, sum float64) {
	shares = map[string]float64{}
	for i := range run.Markers {
		m := &run.Markers[i]
		ns := float64(m.RunningNS())
		shares[functionOf(m.Name)] += ns
		sum += ns
	}
	for name := range shares {
		shares[name] /= sum
	}
	return shares, sum
}

// timedFunctions returns the functions with a marker that can be timed.
func timedFunctions(run *profile.Profile) map[string]bool {
	names := map[string]bool{}
	for i := range run.Markers {
		if m := &run.Markers[i]; !m.CountOnly {
			names[functionOf(m.Name)] = true
		}
	}
	return names
}

// functionOf returns the name of the function that a marker is in, without the number of one of several
// init functions.
func functionOf(marker string) string {
	start := strings.LastIndexByte(marker, '/') + 1
	if i := strings.IndexAny(marker[start:], ":#"); i >= 0 {
		return marker[:start+i]
	}
	return marker
}

// profiledFunctions are the functions of a CPU profile.
type profiledFunctions struct {
	share   map[string]float64
	samples float64
	largest []string // functions with the largest shares, that first
}

// profiledShares returns the share of samples of each of the timed functions. main is the import
// path of package main.
func profiledShares(p *pprof.Profile, timed map[string]bool, main string) profiledFunctions {
	f := profiledFunctions{share: map[string]float64{}}
	for _, s := range p.Sample {
		if name := innermost(s, timed, main); name != "" {
			f.share[name] += float64(s.Value[0])
			f.samples += float64(s.Value[0])
		}
	}
	for name := range f.share {
		f.share[name] /= f.samples
		f.largest = append(f.largest, name)
	}
	slices.SortFunc(f.largest, func(x, y string) int {
		return cmp.Or(cmp.Compare(f.share[y], f.share[x]), cmp.Compare(x, y))
	})
	f.largest = f.largest[:min(largestFunctions, len(f.largest))]
	return f
}

// innermost returns the innermost timed function of a sample; "" if there is none.
func innermost(s *pprof.Sample, timed map[string]bool, main string) string {
	for _, l := range s.Location {
		for _, line := range l.Line {
			name := line.Function.Name
			if rest, ok := strings.CutPrefix(name, "main."); ok {
				name = main + "." + rest
			}
			name = typeArguments.ReplaceAllString(strings.ReplaceAll(name, "%2e", "."), "")
			for name != "" && !timed[name] {
				outer := literal.ReplaceAllString(name, "")
				if outer == name {
					break
				}
				name = outer
			}
			if timed[name] {
				return name
			}
		}
	}
	return ""
}

var (
	typeArguments = regexp.MustCompile(`\[[^]]*\]`)

	// literal is the end of the name of a function literal, or of what the compiler makes of a
	// function: F.func1, F.func1.2, F.gowrap1, F.deferwrap1, F-fm, F-range1, init.0.
	literal = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|-fm|-range\d+)$`)
)

// worst returns the largest difference of a function's share, of those that are largest in either,
// and describes it.
func (f profiledFunctions) worst(reported map[string]float64) (worst float64, where string) {
	for _, name := range slices.Concat(f.largest, largestOf(reported, largestFunctions)) {
		if d := math.Abs(reported[name] - f.share[name]); d > worst {
			worst, where = d, fmt.Sprintf("%s: %.1f %% for %.1f %%", name, 100*reported[name], 100*f.share[name])
		}
	}
	return worst, where
}

// agree returns 1 if the first three functions of the report, of so many samples, are those of the
// profile, in any order, else 0. Functions whose shares in the profile differ by less than two standard
// errors of both may stand for each other.
func (f profiledFunctions) agree(reported map[string]float64, samples float64) float64 {
	if len(f.largest) == 0 {
		return 0
	}
	third := f.share[f.largest[min(2, len(f.largest)-1)]]
	for _, name := range largestOf(reported, 3) {
		if f.share[name] < third-2*math.Sqrt(2*third*(1/f.samples+1/samples)) {
			return 0
		}
	}
	return 1
}

// largestOf returns the n functions with the largest shares.
func largestOf(shares map[string]float64, n int) []string {
	var names []string
	for name := range shares {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(shares[y], shares[x]), cmp.Compare(x, y)) })
	return names[:min(n, len(names))]
}

// write prints the shares of the largest functions in the profile and in each report.
func (f profiledFunctions) write(program string, reports []map[string]float64) error {
	names := f.largest
	for _, shares := range reports {
		for _, name := range largestOf(shares, largestFunctions) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "profile\treports, less profile\t \t%s, %.0f samples\n", program, f.samples)
	for _, name := range names {
		var off []float64
		for _, shares := range reports {
			off = append(off, 100*(shares[name]-f.share[name]))
		}
		fmt.Fprintf(w, "%.1f\t%s\t \t%s\n", 100*f.share[name], list(off, "%+.1f"), name)
	}
	return w.Flush()
}
