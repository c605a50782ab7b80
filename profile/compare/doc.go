// Package compare finds the significant changes between two sets of runs of a program, marker by
// marker.
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
// A run is one sample: calls within a run share its processor, memory layout and neighbours, and
// are not independent. For each marker a run gives a few statistics of the times of its calls,
// called figures (Options.Metric): the quantiles p5, p25 and p50, which show a change in the code
// even on a busy machine, because disturbances only ever add time; the mean; and p90, p99 and the
// mean of the slowest 1 %, which show a slower tail while the median does not change. Logarithms
// are compared, so a change is a factor.
//
// # The shared part of a run
//
// A machine that is slow for a while slows down a whole run. The shared part of a run is the median
// over markers of each marker's distance from its own median. It is subtracted from every marker,
// times the marker's regression coefficient on it. Whether the shared part itself differs between
// the sides is tested, too: if it does, it is not a disturbance but a finding of its own, and it is
// not subtracted.
//
// # The test
//
// This is a permutation test. If nothing changed, the labels old and new are random. So the labels
// are permuted thousands of times, and each time the largest difference over all figures of all
// markers is recorded. A figure's p-value is the fraction of permutations in which any figure of
// any marker differs at least as much as this one does under the true labels. This corrects for all
// tests together, whatever their dependencies: if nothing changed, the probability that any marker
// is reported is at most alpha (Westfall and Young, Resampling-Based Multiple Testing, 1993:
// single-step maxT; Phipson and Smyth 2010 for p-values from a sample of the permutations). The
// only assumption is that runs are exchangeable if nothing changed, which is why old and new runs
// should alternate.
//
// A difference is that of two means in standard deviations, after clipping values that are more
// than three standard deviations (estimated by the median absolute deviation) away from the
// marker's median, so that one disturbed run does not hide a change. Clipping does not depend on
// the labels, and so the test stays exact.
//
// The change and its confidence interval are those of Hodges and Lehmann (1963), from the
// distribution of the Mann–Whitney U. A marker is worse if its p-value is below Options.Alpha and
// the interval reaches Options.Threshold: the change is significant, and may be as large as the
// threshold. Medians over runs and their intervals are those of golang.org/x/perf/benchmath.
package compare
