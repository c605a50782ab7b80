// Package profile is the model of what marked programs measured: a Profile has
// Markers, a Marker has Buckets. It adds runs up, takes a part away again, and
// works out means, percentiles, and what readers of the figures should know of them.
//
//	p, err := runfile.Read("demo.4711.markgen")
//	if err != nil { … }
//	for _, m := range p.Markers {
//		fmt.Println(m.Name, m.Count, m.MeanNS(), m.QuantileNS(0.99))
//	}
//
// A run is one process, and one data file. A profile is one run or the sum of
// many: for every marker, buckets of a factor of two each with the number of
// passages, the sum of their times and the sum of the squares. All three are
// whole numbers, so adding profiles up loses nothing and no order of adding
// gives another result. Count, total, mean and standard deviation follow
// exactly from them; a percentile is known to its bucket and estimated within
// it, and QuantileBounds says how far off the estimate can be.
//
// Times are in nanoseconds of the wall clock's rate, as the program's runtime
// turned ticks into nanoseconds when it recorded them.
//
// The package reads no files and imports none of the packages in its folder:
//
//   - runfile reads data files of runs, and through codec profile files;
//   - codec writes and reads the profile file, in which runs were added up;
//   - table reads the text by which both kinds of files name markers;
//   - estimate makes figures of all passages from those of a sample;
//   - trace reads the records of a trace, and pairs them;
//   - compare says what got slower or faster, shape how a marker's time behaves.
package profile
