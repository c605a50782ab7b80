package peers

import (
	"context"
	"io"
	"runtime"
	"runtime/trace"
	"sync"
	"testing"

	"github.com/loov/hrtime"
	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// on calls a function b.N times on each processor at once, with a goroutine for each.
func on(b *testing.B, call func(x int) int) {
	b.ResetTimer()
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			x := 0
			for range b.N {
				x = call(x)
			}
		})
	}
	all.Wait()
	b.StopTimer()
}

func BenchmarkMarked(b *testing.B)   { on(b, Marked) }
func BenchmarkUnmarked(b *testing.B) { on(b, Unmarked) }
func BenchmarkDeferred(b *testing.B) { on(b, Deferred) }
func BenchmarkCounted(b *testing.B)  { on(b, Counted) }

func BenchmarkRegion(b *testing.B) {
	if err := trace.Start(io.Discard); err != nil {
		b.Fatal(err)
	}
	defer trace.Stop()
	ctx := b.Context()
	on(b, func(x int) int { return Region(ctx, x) })
}

// exporter discards spans.
type exporter struct{}

func (exporter) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return nil }
func (exporter) Shutdown(context.Context) error                        { return nil }

func BenchmarkSpan(b *testing.B) {
	provider := sdk.NewTracerProvider(sdk.WithSampler(sdk.AlwaysSample()), sdk.WithBatcher(exporter{}))
	defer provider.Shutdown(context.Background())
	tracer := provider.Tracer("peers")
	ctx := b.Context()
	on(b, func(x int) int { return Span(ctx, tracer, x) })
}

func BenchmarkClassic(b *testing.B) {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "classic"})
	on(b, func(x int) int { return Observed(h, x) })
}

func BenchmarkNative(b *testing.B) {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "native", NativeHistogramBucketFactor: 1.1})
	on(b, func(x int) int { return Observed(h, x) })
}

func BenchmarkLap(b *testing.B) {
	watch := hrtime.NewStopwatchTSC(b.N * runtime.GOMAXPROCS(0))
	on(b, func(x int) int { return Lap(watch, x) })
}
