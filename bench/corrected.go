package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// corrected measures how well the price of markers is taken off what is
// reported: the total of a function that calls another of about 20 ns a million
// times, both marked, against the time it takes unmarked.
func (b *bench) corrected(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	plain, marked := filepath.Join(b.work, "corrected-plain"), filepath.Join(b.work, "corrected-marked")
	if _, err := runProcess(ctx, dir, nil, "go", "build", "-o", plain, "./programs/corrected"); err != nil {
		return err
	}
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", marked, "./programs/corrected"); err != nil {
		return err
	}
	data := b.dataFile("corrected")
	var unmarked, spent, total []float64 // ns
	for range b.roundsOr(7) {
		for _, side := range []struct {
			name, program string
			environ       []string
			times         *[]float64
		}{
			{"plain", plain, nil, &unmarked},
			{"marked", marked, []string{b.inFile("corrected")}, &spent},
		} {
			text, err := output(ctx, dir, side.environ, side.program)
			if err != nil {
				return err
			}
			var ns float64
			if _, err := fmt.Sscan(string(text), &ns); err != nil {
				return err
			}
			*side.times = append(*side.times, ns)
			if err := b.addSeconds("corrected/"+side.name+".txt", "Parent", ns); err != nil {
				return err
			}
		}
		parent, err := b.reported(ctx, data, "corrected.parent")
		if err != nil {
			return err
		}
		total = append(total, parent.Total)
		if err := b.addSeconds("corrected/reported.txt", "Parent", parent.Total); err != nil {
			return err
		}
		if err := os.Remove(data); err != nil {
			return err
		}
	}
	ratio := median(total) / median(unmarked)
	off := max(ratio-1, 1-ratio)
	b.hold("corrected: the reported total is off by", atMost(0.05), off,
		fmt.Sprintf("reported %s ms, unmarked %s, marked %s: %.3g of the unmarked time",
			short(median(total)/1e6), short(median(unmarked)/1e6), short(median(spent)/1e6), ratio))
	return nil
}

// addSeconds writes one time, given in ns.
func (b *bench) addSeconds(file, name string, ns float64) error {
	return b.results.add(file, name, 1, benchfmt.Value{Value: ns / 1e9, Unit: "sec/op"})
}

// A reportedMarker is what markgen report says of one marker.
type reportedMarker struct {
	Name    string
	Count   float64
	Total   float64 `json:"total_ns"`
	Min     float64 `json:"min_ns"`
	Samples float64
	CountSE float64 `json:"count_se"`
	MeanSE  float64 `json:"mean_se_ns"`
	Buckets []struct {
		Hi    float64 `json:"hi_ns"`
		Count float64
		Sum   float64 `json:"sum_ns"`
	}
}

// reported is what markgen report says of the marker whose name has that ending.
func (b *bench) reported(ctx context.Context, data, ending string) (reportedMarker, error) {
	text, err := output(ctx, b.work, nil, b.markgen, "report", "-format", "json", data)
	if err != nil {
		return reportedMarker{}, err
	}
	var report struct{ Markers []reportedMarker }
	if err := json.Unmarshal(text, &report); err != nil {
		return reportedMarker{}, fmt.Errorf("markgen report: %w", err)
	}
	for _, m := range report.Markers {
		if strings.HasSuffix(m.Name, ending) {
			return m, nil
		}
	}
	return reportedMarker{}, fmt.Errorf("markgen report: no marker is named …%s", ending)
}
