// Package top is the live view of a running marked program: how often each marker is called and how
// long calls take, now and since the start, with keys for steering the program (package steer).
//
//	p, err := steer.Open("4711", "")
//	if err != nil { … }
//	err = top.Run(ctx, p, top.Options{Interval: time.Second}, os.Stdin, os.Stdout)
//
// It reads the data file at every refresh and shows the difference to an earlier reading, so it
// costs the program nothing but memory bandwidth. The data of a span are as exact as those of a
// run, since buckets are sums and can be subtracted. A scope counts when it ends: one that takes
// longer than the span appears in the span in which it ends. Percentiles are estimated within their
// bucket, as in reports.
package top
