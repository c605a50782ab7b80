// Package peers has one trivial function, timed by a marker and in other ways that Go programs have, to
// compare their costs.
package peers

import (
	"context"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/loov/hrtime"
	"github.com/prometheus/client_golang/prometheus"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Marked is timed by a marker.
//
//perf:mark
//go:noinline
func Marked(x int) int { return x + 1 }

// Unmarked is not timed.
//
//go:noinline
func Unmarked(x int) int { return x + 1 }

var total atomic.Int64

// Deferred adds its time to a total.
//
//go:noinline
func Deferred(x int) int {
	defer func(begin time.Time) { total.Add(int64(time.Since(begin))) }(time.Now())
	return x + 1
}

// Region is timed by a region of the execution tracer.
//
//go:noinline
func Region(ctx context.Context, x int) int {
	defer trace.StartRegion(ctx, "trivial").End()
	return x + 1
}

// Span is timed by an OpenTelemetry span.
//
//go:noinline
func Span(ctx context.Context, tracer oteltrace.Tracer, x int) int {
	_, span := tracer.Start(ctx, "trivial")
	defer span.End()
	return x + 1
}

// Observed is timed by a Prometheus timer.
//
//go:noinline
func Observed(histogram prometheus.Histogram, x int) int {
	defer prometheus.NewTimer(histogram).ObserveDuration()
	return x + 1
}

// Counted adds its time, read from the processor's cycle counter, to a total.
//
//go:noinline
func Counted(x int) int {
	defer func(begin hrtime.Count) { total.Add(int64(hrtime.TSC() - begin)) }(hrtime.TSC())
	return x + 1
}

// Lap is timed by a lap of a stopwatch with a fixed number of laps.
//
//go:noinline
func Lap(watch *hrtime.StopwatchTSC, x int) int {
	defer watch.Stop(watch.Start())
	return x + 1
}
