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
	data := filepath.Join(b.work, "corrected.markgen")
	var unmarked, spent, total []float64 // ns
	for range b.roundsOr(7) {
		for _, side := range []struct {
			name, program string
			environ       []string
			times         *[]float64
		}{
			{"plain", plain, nil, &unmarked},
			{"marked", marked, []string{"MARKGEN=report=none,file=" + data}, &spent},
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
		ns, err := b.reportedTotal(ctx, data, "corrected.parent")
		if err != nil {
			return err
		}
		total = append(total, ns)
		if err := b.addSeconds("corrected/reported.txt", "Parent", ns); err != nil {
			return err
		}
		if err := os.Remove(data); err != nil {
			return err
		}
	}
	ratio := fewest(total) / fewest(unmarked)
	off := max(ratio-1, 1-ratio)
	b.hold("corrected: the reported total is off by", atMost(0.05), off,
		fmt.Sprintf("reported %s ms, unmarked %s, marked %s: %.3g of the unmarked time",
			short(fewest(total)/1e6), short(fewest(unmarked)/1e6), short(fewest(spent)/1e6), ratio))
	return nil
}

// addSeconds writes one time, given in ns.
func (b *bench) addSeconds(file, name string, ns float64) error {
	return b.results.add(file, name, 1, benchfmt.Value{Value: ns / 1e9, Unit: "sec/op"})
}

// reportedTotal is what markgen report says of the marker whose name has that
// ending: its total, ns.
func (b *bench) reportedTotal(ctx context.Context, data, ending string) (float64, error) {
	text, err := output(ctx, b.work, nil, b.markgen, "report", "-format", "json", data)
	if err != nil {
		return 0, err
	}
	var report struct {
		Markers []struct {
			Name  string
			Total float64 `json:"total_ns"`
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return 0, fmt.Errorf("markgen report: %w", err)
	}
	for _, m := range report.Markers {
		if strings.HasSuffix(m.Name, ending) {
			return m.Total, nil
		}
	}
	return 0, fmt.Errorf("markgen report: no marker is named …%s", ending)
}
