// Package trace reads the records of a trace: each call with its time, in the order in which
// goroutines made them.
//
//	t, err := trace.Open("demo.4711.markgen")
//	if err != nil { … }
//	defer t.Close()
//	err = t.Each(func(r *trace.Record) { … })
//
// Each returns raw records, Steps interprets them as nested scopes per goroutine, and a Between
// pairs the calls of two markers and subtracts the cost of the markers in between. Memory does not
// grow with the number of records.
package trace
