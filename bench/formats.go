package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
)

// formatMarkers is the number of markers in a report.
const formatMarkers = 100_000

// formatBar is the maximum time of a report, and formatNames are the measured formats.
var (
	formatBar   = atMost(1).in("s")
	formatNames = []string{"text", "json", "pprof", "bench", "prom"}
)

// formats measures the time of markgen report, including reading the data.
func (b *bench) formats(ctx context.Context) error {
	data, out := filepath.Join(b.work, "formats.markgen"), filepath.Join(b.work, "formats.out")
	if err := codec.Write(data, profiletest.Random(formatMarkers, 1)); err != nil {
		return err
	}
	for _, format := range formatNames {
		var seconds []float64
		peak, cpu := 0.0, []float64(nil)
		for range b.roundsOr(7) {
			p, err := runProcess(ctx, b.work, nil, b.markgen, "report", "-format", format, "-o", out, data)
			if err != nil {
				return err
			}
			seconds, cpu, peak = append(seconds, p.wall), append(cpu, p.cpu), max(peak, p.peak)
			rows := benchfmt.Value{Value: formatMarkers / p.wall, Unit: "rows/s"}
			if err := b.results.add("formats/"+format+".txt", "Formats/"+format, 1, append(p.values(), rows)...); err != nil {
				return err
			}
		}
		info, err := os.Stat(out)
		if err != nil {
			return err
		}
		wall := median(seconds)
		b.record(format, formatBar, wall,
			fmt.Sprintf("%.0f rows/ms, %.2f s of the processors, %.1f MB written, peak %.0f MiB, wall seconds: %s",
				formatMarkers/wall/1e3, median(cpu), float64(info.Size())/1e6, peak/(1<<20), list(seconds, "%.2f")))
	}
	return os.Remove(data)
}
