// Package profile models the measurements of marked programs: a Profile has Markers, a Marker has
// Buckets. The package adds and subtracts profiles, and computes means, percentiles, and cautions
// that readers should know.
//
//	p, err := runfile.Read("demo.4711.markgen")
//	if err != nil { … }
//	for _, m := range p.Markers {
//		fmt.Println(m.Name, m.Count, m.MeanNS(), m.QuantileNS(0.99))
//	}
//
// A run is one process, and one data file. A profile is one run or the sum of many: for every
// marker it has log2 buckets, each with the number of calls, the sum of their times and the sum of
// the squares. All three are integers, so that addition is exact and its order does not matter.
// Count, total, mean and standard deviation follow exactly. A percentile is known up to its bucket
// and estimated within it; QuantileBounds bounds the error.
//
// Times are in nanoseconds of wall-clock time, converted from ticks by the program when it recorded
// them.
//
// The package reads no files and imports none of its subpackages:
//
//   - runfile reads data files of runs, and through codec profile files;
//   - codec encodes and decodes profile files, which contain sums of runs;
//   - table parses the text that names markers in both kinds of files;
//   - estimate scales the data of a sample up to all calls;
//   - trace reads and pairs the records of a trace;
//   - compare finds what got slower or faster, and shape how a marker's time behaves.
package profile
