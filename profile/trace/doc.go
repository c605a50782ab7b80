// Package trace reads the records of a trace: each passage with its time, in the order in which
// goroutines made them.
//
//	t, err := trace.Open("demo.4711.markgen")
//	if err != nil { … }
//	defer t.Close()
//	err = t.Each(func(r *trace.Record) { … })
//
// Each gives the records as they are, Steps what they mean to their goroutines, as scopes that nest, and a
// Between pairs the passages of two markers and takes off what the markers on the way cost. Memory does not grow with the
// number of records.
package trace
