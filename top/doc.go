// Package top is the live view of a marked program that runs: how often each marker
// is passed and how long that takes, now and since the start, with keys that steer the
// program (package steer).
//
//	p, err := steer.Open("4711", "")
//	if err != nil { … }
//	err = top.Run(ctx, p, top.Options{Interval: time.Second}, os.Stdin, os.Stdout)
//
// It reads the data file at every refresh and shows the difference to an earlier
// reading, so it takes nothing from the program but the memory's bandwidth. Figures of
// a span are exact as those of a run are, since buckets are sums and can be subtracted;
// but a scope counts when it ends, so that one which takes longer than the span appears
// in the span in which it ends. Percentiles are estimated within their bucket, as in
// reports.
package top
