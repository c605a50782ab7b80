package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// corrected measures how well reports subtract the cost of markers. Functions that call another of
// about 20 ns a million times are timed with both marked and with neither marked, and the reported
// totals are compared with the unmarked times. The actual cost of a marker depends on the code
// around it; reports subtract the same cost everywhere.
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
	unmarked, spent, total := map[string][]float64{}, map[string][]float64{}, map[string][]float64{} // ns by kind
	for range b.roundsOr(7) {
		if err := b.parents(ctx, "plain", unmarked, dir, nil, plain); err != nil {
			return err
		}
		if err := b.parents(ctx, "marked", spent, dir, []string{b.inFile("corrected")}, marked); err != nil {
			return err
		}
		report, err := b.report(ctx, data)
		if err != nil {
			return err
		}
		for kind := range unmarked {
			parent, err := marker(report, "corrected.parent"+kind)
			if err != nil {
				return err
			}
			total[kind] = append(total[kind], parent.Total)
			if err := b.addSeconds("corrected/reported.txt", kind, parent.Total); err != nil {
				return err
			}
		}
		if err := os.Remove(data); err != nil {
			return err
		}
	}
	var all []timing
	for _, kind := range slices.Sorted(maps.Keys(unmarked)) {
		t := timing{"corrected", kind, []float64{median(unmarked[kind]), median(total[kind])}}
		all = append(all, t)
		ratio := t.ratio(1, 0)
		b.record("off, "+kind, atMost(0.05), max(ratio-1, 1-ratio),
			fmt.Sprintf("reported %s ms, unmarked %s, marked %s: %.3g of the unmarked time",
				short(t.ns[1]/1e6), short(t.ns[0]/1e6), short(median(spent[kind])/1e6), ratio))
	}
	mean := geoMean(all, 1, 0)
	b.record("all of these", bar{}, max(mean-1, 1-mean),
		fmt.Sprintf("geometric mean of %d kinds: %.3g of the unmarked time", len(all), mean))
	return nil
}

// parents runs the program once and records its output: lines of a function's kind and a time in
// ns.
func (b *bench) parents(ctx context.Context, side string, times map[string][]float64, dir string, environ []string, program string) error {
	text, err := output(ctx, dir, environ, program)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		var kind string
		var ns float64
		if _, err := fmt.Sscan(line, &kind, &ns); err != nil {
			return fmt.Errorf("%s: %q: %w", program, line, err)
		}
		times[kind] = append(times[kind], ns)
		if err := b.addSeconds("corrected/"+side+".txt", kind, ns); err != nil {
			return err
		}
	}
	return nil
}

// addSeconds records a time, given in ns, in the results.
func (b *bench) addSeconds(file, name string, ns float64) error {
	return b.results.add(file, name, 1, benchfmt.Value{Value: ns / 1e9, Unit: "sec/op"})
}

// A reportedMarker is one marker of markgen report -format json.
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

// report returns the markers that markgen report lists.
func (b *bench) report(ctx context.Context, data string) ([]reportedMarker, error) {
	text, err := output(ctx, b.work, nil, b.markgen, "report", "-format", "json", data)
	if err != nil {
		return nil, err
	}
	var report struct{ Markers []reportedMarker }
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("markgen report: %w", err)
	}
	return report.Markers, nil
}

// marker returns the marker whose name ends in ending.
func marker(report []reportedMarker, ending string) (reportedMarker, error) {
	for _, m := range report {
		if strings.HasSuffix(m.Name, ending) {
			return m, nil
		}
	}
	return reportedMarker{}, fmt.Errorf("markgen report: no marker is named …%s", ending)
}

// reported returns the marker of markgen report whose name ends in ending.
func (b *bench) reported(ctx context.Context, data, ending string) (reportedMarker, error) {
	report, err := b.report(ctx, data)
	if err != nil {
		return reportedMarker{}, err
	}
	return marker(report, ending)
}
