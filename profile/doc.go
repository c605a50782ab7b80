// Package profile holds what marked programs measured: it reads the data files
// that they leave, adds runs up, and works out means and percentiles.
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
// Files may belong to programs that still run or that were killed. The reader
// believes no length in them: what is damaged is named with file and offset,
// what is sound is kept.
//
// Times are in nanoseconds of the wall clock's rate, as the program's runtime
// turned ticks into nanoseconds when it recorded them.
package profile
