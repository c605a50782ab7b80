// Package compare tells what changed between two sets of runs of a program, marker
// by marker, and what of that is more than chance.
//
//	c, err := compare.NewComparison(compare.Options{Threshold: 0.05})
//	if err != nil { … }
//	for _, file := range old {
//		p, err := runfile.Read(file)
//		if err != nil { … }
//		c.Add(compare.Old, p)
//	}
//	… the same for compare.New
//	for _, m := range c.Result().Markers {
//		fmt.Println(m.Name, m.Verdict, m.Lead().Change)
//	}
//
// # What is compared
//
// A run is one sample: passages within a run share its processor, its memory layout
// and its neighbours, and are not independent of each other. Of each marker a run gives a few
// figures of its passages' times (Options.Metric): the quantiles p5, p25 and p50, which
// tell a change in what the code does best where other work disturbs the machine, for
// that only ever adds time; the mean; and p90, p99 and the mean of the slowest hundredth,
// which tell a slower tail though the median stands still. Logarithms are compared, so
// that a change is a factor.
//
// # What all markers of a run share
//
// A machine that is slower for a while makes a whole run slower. What the markers of a
// run have in common is the median over markers of how far each is from its own median.
// As much of it as a marker has been seen to follow (its regression on it) is taken off.
// Whether the common part itself differs between the sides is tested, too: if it
// does, it is no disturbance, but a finding of its own, and stays in.
//
// # The test
//
// If nothing changed, it is chance which runs are called old and which new. So the labels
// are dealt out anew, thousands of times, and each time the largest difference
// of all figures of all markers is noted. A figure's p-value is the share of dealings in
// which any figure of any marker differed as much as this one does in truth. That makes it correct
// for all tests at once, whatever depends on what: with no change, the chance that
// any marker is reported is no more than alpha (Westfall and Young, Resampling-Based
// Multiple Testing, 1993: single-step maxT; Phipson and Smyth 2010 for p-values from a part of all
// dealings). It asks only that runs can be exchanged if nothing changed, which is why
// old and new runs should be made in turn.
//
// A difference is that of two means in units of the deviation, after values far from
// the marker's median (more than three deviations by the median absolute deviation)
// are brought back to there, so that one disturbed run does not hide a change. This
// is done without looking at the labels, and so leaves the test exact.
//
// The change and its confidence interval are those of Hodges and Lehmann (1963), from the
// distribution of the Mann–Whitney U. A marker is worse if its p-value is below
// Options.Alpha and the interval reaches Options.Threshold: the change is certain, and it may be as
// large as that. Medians over runs and their intervals are those of
// golang.org/x/perf/benchmath.
package compare
